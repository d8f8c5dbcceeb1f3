#include "problems/readers/model/urdf_words.h"

static const char other_simulator[] = "of another simulator";
static const char controllers[] = "of controllers";
static const char by_hand[] =
    "springs, loops and couplings are model.springs and model.constraints of the problem";

static const pb_word rows[] = {
    {"robot", "name", PB_TAKEN, NULL, NULL},
    {"robot", "version", PB_SILENT, NULL, NULL},

    // links
    {"link", "name", PB_TAKEN, NULL, NULL},
    {"link", "type", PB_SILENT, NULL, NULL},
    {"inertial", "", PB_TAKEN, NULL,
     "without it a link has no mass, unless `model.density` weighs its shapes"},
    {"origin", "xyz rpy", PB_TAKEN, NULL, NULL},
    {"mass", "value", PB_TAKEN, NULL, NULL},
    {"inertia", "ixx iyy izz ixy ixz iyz", PB_TAKEN, NULL, NULL},
    {"visual", "name", PB_TAKEN, NULL, "pictures"},
    {"collision", "name", PB_TAKEN, NULL,
     "`keep_out.collision`, `model.density`, and pictures without <visual>"},
    {"collision", "group", PB_SILENT, NULL, NULL},
    {"geometry", "", PB_TAKEN, NULL, NULL},
    {"box", "size", PB_TAKEN, NULL, NULL},
    {"sphere", "radius", PB_TAKEN, NULL, NULL},
    {"cylinder", "radius length", PB_TAKEN, NULL, NULL},
    {"capsule", "radius length", PB_TAKEN, NULL, NULL},
    {"geometry/mesh", "filename scale", PB_TAKEN, NULL, "files .stl and .obj"},
    {"material", "name", PB_TAKEN, NULL, "pictures"},
    {"color", "rgba", PB_TAKEN, NULL, NULL},
    {"texture", NULL, PB_SILENT, NULL, NULL},
    {"link/contact", NULL, PB_SILENT, NULL, other_simulator},
    {"self_collision_checking", NULL, PB_SILENT, NULL, other_simulator},
    {"collision_checking", NULL, PB_SILENT, NULL, other_simulator},
    {"contact_coefficients", NULL, PB_SILENT, NULL, other_simulator},
    {"proximity_properties", NULL, PB_SILENT, NULL, other_simulator},
    {"verbose", NULL, PB_SILENT, NULL, NULL},

    // joints
    {"joint", "name type", PB_TAKEN, NULL,
     "revolute, continuous, prismatic, fixed, floating, planar; ball (spherical), universal, "
     "screw"},
    {"parent", "link", PB_TAKEN, NULL,
     "`world` where no link of that name is declared is the world"},
    {"child", "link", PB_TAKEN, NULL, NULL},
    {"axis", "xyz", PB_TAKEN, NULL, NULL},
    {"limit", "lower upper velocity effort", PB_TAKEN, NULL,
     "of planar, floating, ball and universal joints not read, with a warning"},
    {"limit", "acceleration jerk deceleration stiffness dissipation", PB_SILENT, NULL, controllers},
    {"dynamics", "damping", PB_TAKEN, NULL, NULL},
    {"dynamics", "friction", PB_TAKEN, "0",
     "dry friction of the robots that `verify` simulates, with a warning"},
    {"dynamics", "coulomb_friction coulomb_window", PB_DROPPED, "0",
     "dry friction is not modelled"},
    {"dynamics", "spring_stiffness spring_reference", PB_DROPPED, "0", by_hand},
    {"dynamics", "D K mu_coulomb mu_viscous", PB_SILENT, NULL, controllers},
    {"mimic", "joint multiplier offset", PB_TAKEN, NULL, NULL},
    {"screw_thread_pitch", "value", PB_TAKEN, NULL, "of a screw, m per revolution"},
    {"calibration", NULL, PB_SILENT, NULL, controllers},
    {"safety_controller", NULL, PB_SILENT, NULL, controllers},
    {"joint_properties", NULL, PB_SILENT, NULL, controllers},

    // transmissions
    {"transmission", "name type", PB_TAKEN, NULL, "rotors: armature of the joint"},
    {"transmission/type", NULL, PB_SILENT, NULL, NULL},
    {"transmission/joint", "name", PB_TAKEN, NULL, NULL},
    {"hardwareInterface", NULL, PB_SILENT, NULL, controllers},
    {"role", NULL, PB_SILENT, NULL, controllers},
    {"offset", NULL, PB_SILENT, NULL, controllers},
    {"actuator", "name", PB_TAKEN, NULL, NULL},
    {"mechanicalReduction", "", PB_TAKEN, NULL, "the gear of a rotor that has no `gear_ratio`"},
    {"rotor_inertia", "value", PB_TAKEN, NULL, "times the square of the gear, an armature"},
    {"gear_ratio", "value", PB_TAKEN, NULL, NULL},
    {"motorTorqueConstant", NULL, PB_SILENT, NULL, controllers},
    {"leftActuator", NULL, PB_SILENT, NULL, controllers},
    {"rightActuator", NULL, PB_SILENT, NULL, controllers},
    {"flexJoint", NULL, PB_SILENT, NULL, controllers},
    {"rollJoint", NULL, PB_SILENT, NULL, controllers},
    {"gap_joint", NULL, PB_SILENT, NULL, controllers},
    {"passive_joint", NULL, PB_SILENT, NULL, controllers},
    {"simulated_reduction", NULL, PB_SILENT, NULL, controllers},
    {"use_simulated_gripper_joint", NULL, PB_SILENT, NULL, controllers},
    {"ros2_control", NULL, PB_SILENT, NULL, controllers},
    {"sensor", NULL, PB_SILENT, NULL, NULL},

    // other programs
    {"gazebo", NULL, PB_SILENT, NULL, other_simulator},
    {"mujoco", NULL, PB_SILENT, NULL, other_simulator},
    {"collision_filter_group", NULL, PB_SILENT, NULL, other_simulator},
    {"frame", NULL, PB_SILENT, NULL, other_simulator},
    {"loop_joint", NULL, PB_DROPPED, NULL, by_hand},
    {"linear_bushing_rpy", NULL, PB_DROPPED, NULL, by_hand},
    {"ball_constraint", NULL, PB_DROPPED, NULL, by_hand},
    {"tendon_constraint", NULL, PB_DROPPED, NULL, by_hand},
    {"force_element", NULL, PB_DROPPED, NULL, by_hand},
    {NULL, NULL, PB_TAKEN, NULL, NULL},
};

const pb_words pb_urdf_words = {"URDF", rows, true};
