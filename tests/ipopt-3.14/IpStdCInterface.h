// tests/ipopt-3.14/IpStdCInterface.h: what optim/nlp/ipopt.c uses of IPOPT's C interface, with the
// types of 3.14. Nothing links against it.
#ifndef TESTS_IPOPT_3_14_IPSTDCINTERFACE_H
#define TESTS_IPOPT_3_14_IPSTDCINTERFACE_H
#include <stdbool.h>

typedef double ipnumber;
typedef int ipindex;
typedef void *UserDataPtr;
typedef struct IpoptProblemInfo *IpoptProblem;

enum ApplicationReturnStatus {
  Solve_Succeeded = 0,
  Solved_To_Acceptable_Level = 1,
  Infeasible_Problem_Detected = 2,
  Search_Direction_Becomes_Too_Small = 3,
  Diverging_Iterates = 4,
  User_Requested_Stop = 5,
  Feasible_Point_Found = 6,
  Maximum_Iterations_Exceeded = -1,
  Restoration_Failed = -2,
  Error_In_Step_Computation = -3,
  Maximum_CpuTime_Exceeded = -4,
  Maximum_WallTime_Exceeded = -5,
  Not_Enough_Degrees_Of_Freedom = -10,
  Invalid_Problem_Definition = -11,
  Invalid_Option = -12,
  Invalid_Number_Detected = -13,
  Insufficient_Memory = -102
};

typedef bool (*Eval_F_CB)(ipindex, ipnumber *, bool, ipnumber *, UserDataPtr);
typedef bool (*Eval_Grad_F_CB)(ipindex, ipnumber *, bool, ipnumber *, UserDataPtr);
typedef bool (*Eval_G_CB)(ipindex, ipnumber *, bool, ipindex, ipnumber *, UserDataPtr);
typedef bool (*Eval_Jac_G_CB)(ipindex, ipnumber *, bool, ipindex, ipindex, ipindex *, ipindex *,
                              ipnumber *, UserDataPtr);
typedef bool (*Eval_H_CB)(ipindex, ipnumber *, bool, ipnumber, ipindex, ipnumber *, bool, ipindex,
                          ipindex *, ipindex *, ipnumber *, UserDataPtr);
typedef bool (*Intermediate_CB)(ipindex, ipindex, ipnumber, ipnumber, ipnumber, ipnumber, ipnumber,
                                ipnumber, ipnumber, ipnumber, ipindex, UserDataPtr);

IpoptProblem CreateIpoptProblem(ipindex n, ipnumber *x_L, ipnumber *x_U, ipindex m, ipnumber *g_L,
                                ipnumber *g_U, ipindex nele_jac, ipindex nele_hess,
                                ipindex index_style, Eval_F_CB eval_f, Eval_G_CB eval_g,
                                Eval_Grad_F_CB eval_grad_f, Eval_Jac_G_CB eval_jac_g,
                                Eval_H_CB eval_h);
void FreeIpoptProblem(IpoptProblem problem);
bool OpenIpoptOutputFile(IpoptProblem problem, char *file_name, int print_level);
bool AddIpoptStrOption(IpoptProblem problem, char *keyword, char *val);
bool AddIpoptNumOption(IpoptProblem problem, char *keyword, ipnumber val);
bool AddIpoptIntOption(IpoptProblem problem, char *keyword, ipindex val);
bool SetIntermediateCallback(IpoptProblem problem, Intermediate_CB intermediate_cb);
enum ApplicationReturnStatus IpoptSolve(IpoptProblem problem, ipnumber *x, ipnumber *g,
                                        ipnumber *obj_val, ipnumber *mult_g, ipnumber *mult_x_L,
                                        ipnumber *mult_x_U, UserDataPtr user_data);
#endif
