#include "problems/readers/model/mjcf_words.h"

#define POSE "pos quat axisangle xyaxes zaxis euler"
#define CONTACT                                                                                    \
  "contype conaffinity condim priority friction solmix solref solimp margin gap surfacevel "       \
  "adhesion"
#define SOFTNESS "group margin solreflimit solimplimit solreffriction solimpfriction user"
#define ACTUATOR                                                                                   \
  "name class ctrlrange ctrllimited forcerange forcelimited gear joint jointinparent tendon site " \
  "refsite"
#define ACTS_ALSO "group nsample interp delay user lengthrange"
#define CRANK     "slidersite cranksite cranklength"

static const char own_dynamics[] = "the force that it gives is an input, without its own dynamics";
static const char no_body[] = "rigid bodies with joints";

static const pb_word rows[] = {
    {"mujoco", "model", PB_SILENT, NULL, NULL},
    {"mujocoinclude", "model", PB_SILENT, NULL, NULL},
    {"include", "file", PB_TAKEN, NULL,
     "beside the main file, else beside the file that includes; every file once"},

    // settings
    {"compiler",
     "angle autolimits eulerseq meshdir assetdir strippath inertiafromgeom inertiagrouprange "
     "boundmass boundinertia balanceinertia settotalmass alignfree exactmeshinertia",
     PB_TAKEN, NULL, NULL},
    {"compiler", "coordinate", PB_REFUSED, "local", "frames in their parents'"},
    {"compiler",
     "texturedir fitaabb fusestatic discardvisual convexhull usethread saveinertial conflict",
     PB_SILENT, NULL, NULL},
    {"lengthrange", NULL, PB_SILENT, NULL, "ranges of muscles"},
    {"option", "gravity density viscosity", PB_TAKEN, NULL, "a fluid: see below"},
    {"option", "wind", PB_TAKEN, NULL, "with a fluid"},
    {"option",
     "timestep apirate impratio magnetic o_margin o_solref o_solimp o_friction integrator "
     "collision cone jacobian solver iterations tolerance noslip_iterations noslip_tolerance "
     "mpr_iterations mpr_tolerance ls_iterations ls_tolerance ccd_iterations ccd_tolerance "
     "sleep_tolerance sdf_iterations sdf_initpoints actuatorgroupdisable",
     PB_SILENT, NULL, "of MuJoCo's own steps"},
    {"flag", "gravity passive spring damper constraint equality", PB_TAKEN, NULL, NULL},
    {"flag",
     "frictionloss limit contact clampctrl warmstart filterparent actuation refsafe sensor "
     "midphase "
     "eulerdamp autoreset nativeccd island multiccd override energy fwdinv invdiscrete sleep "
     "diagexact sensornoise",
     PB_SILENT, NULL, "of MuJoCo's own steps"},
    {"size", NULL, PB_SILENT, NULL, "room in memory"},
    {"visual", NULL, PB_SILENT, NULL, "pictures"},
    {"statistic", NULL, PB_SILENT, NULL, "pictures"},
    {"custom", NULL, PB_SILENT, NULL, "data of users"},
    {"extension", NULL, PB_SILENT, NULL, "dmoc refuses each <plugin> that uses an extension"},
    {"sensor", NULL, PB_SILENT, NULL, "measurements: `outputs` of the problem"},
    {"default", "class", PB_TAKEN, NULL, NULL},
    {"default/tendon", "class limited range stiffness damping armature springlength frictionloss",
     PB_TAKEN, NULL, NULL},
    {"default/tendon", SOFTNESS " width material rgba actuatorfrclimited actuatorfrcrange",
     PB_SILENT, NULL, NULL},
    {"default/equality", "active solref solimp", PB_TAKEN, NULL, NULL},
    {"pair", NULL, PB_SILENT, NULL, "contacts"},
    {"default/muscle", NULL, PB_SILENT, NULL, NULL},
    {"default/damper", NULL, PB_SILENT, NULL, NULL},
    {"default/cylinder", NULL, PB_SILENT, NULL, NULL},
    {"default/pid", NULL, PB_SILENT, NULL, NULL},
    {"default/orientation", NULL, PB_SILENT, NULL, NULL},
    {"default/dcmotor", NULL, PB_SILENT, NULL, NULL},
    {"default/adhesion", NULL, PB_SILENT, NULL, NULL},

    // assets
    {"asset", "", PB_TAKEN, NULL, NULL},
    {"mesh", "name class file vertex face refpos refquat scale inertia", PB_TAKEN, NULL,
     "files .stl, .obj and .msh"},
    {"mesh", "builtin params", PB_TAKEN, NULL, "refused where such a mesh has mass"},
    {"mesh", "content_type normal texcoord smoothnormal maxhullvert material", PB_SILENT, NULL,
     NULL},
    {"mesh/plugin", NULL, PB_SILENT, NULL, NULL},
    {"material", "name class rgba", PB_TAKEN, NULL, "pictures"},
    {"material",
     "texture texrepeat texuniform emission specular shininess reflectance metallic roughness",
     PB_SILENT, NULL, NULL},
    {"layer", NULL, PB_SILENT, NULL, NULL},
    {"texture", NULL, PB_SILENT, NULL, "pictures"},
    {"hfield", NULL, PB_SILENT, NULL, "ground, without mass"},
    {"skin", NULL, PB_SILENT, NULL, "pictures"},
    {"model", "name file", PB_TAKEN, NULL, NULL},
    {"model", "content_type", PB_SILENT, NULL, NULL},

    // bodies
    {"worldbody", "name childclass", PB_TAKEN, NULL, NULL},
    {"worldbody", POSE " mocap gravcomp user sleep simple", PB_SILENT, NULL, NULL},
    {"body", "name childclass " POSE " gravcomp", PB_TAKEN, NULL, NULL},
    {"body", "mocap", PB_TAKEN, NULL, "stands still, with a warning"},
    {"body", "user sleep simple", PB_SILENT, NULL, NULL},
    {"frame", "name childclass " POSE, PB_TAKEN, NULL, NULL},
    {"replicate", "count sep offset euler childclass", PB_TAKEN, NULL, NULL},
    {"attach", "model body frame prefix", PB_TAKEN, NULL, "of another file or of this one"},
    {"inertial", POSE " mass diaginertia fullinertia", PB_TAKEN, NULL, NULL},
    {"freejoint", "name align", PB_TAKEN, NULL, NULL},
    {"freejoint", "group", PB_SILENT, NULL, NULL},
    {"joint",
     "name class type pos axis ref range limited damping stiffness springref springdamper armature "
     "actuatorfrcrange actuatorfrclimited",
     PB_TAKEN, NULL, NULL},
    {"joint", "frictionloss", PB_TAKEN, "0", "a warning: dry friction is not modelled"},
    {"joint", "actuatorgravcomp", PB_DROPPED, "false",
     "what carries the weight takes nothing from the motor"},
    {"joint", SOFTNESS, PB_SILENT, NULL, "softness of limits and of friction"},
    {"geom",
     "name class type " POSE " size fromto mesh mass density shellinertia group rgba material",
     PB_TAKEN, NULL, "mass and inertia of the body, and pictures"},
    {"geom", CONTACT " hfield fitscale fluidshape fluidcoef user", PB_SILENT, NULL,
     "contacts: `info` says so"},
    {"site", "name class " POSE " fromto", PB_TAKEN, NULL, "a frame on the body"},
    {"site", "type group material size rgba user", PB_SILENT, NULL, NULL},
    {"camera", NULL, PB_SILENT, NULL, NULL},
    {"light", NULL, PB_SILENT, NULL, NULL},
    {"composite", NULL, PB_REFUSED, NULL, no_body},
    {"flexcomp", NULL, PB_REFUSED, NULL, no_body},
    {"flex", NULL, PB_REFUSED, NULL, no_body},
    {"deformable", "", PB_TAKEN, NULL, NULL},
    {"plugin", NULL, PB_REFUSED, NULL, "no forces that are another program's"},

    // contacts, equalities and tendons
    {"contact", NULL, PB_SILENT, NULL, "contacts: `model.contacts` of the problem"},
    {"equality", "", PB_TAKEN, NULL, NULL},
    {"connect", "name class active body1 body2 anchor site1 site2", PB_TAKEN, NULL,
     "kept exactly, with a warning"},
    {"weld", "name class active body1 body2 anchor relpose site1 site2 torquescale", PB_TAKEN, NULL,
     "kept exactly, with a warning"},
    {"equality/joint", "name class active joint1 joint2 polycoef", PB_TAKEN, NULL,
     "kept exactly, with a warning; refused with a curve"},
    {"equality/tendon", "name class active tendon1 tendon2 polycoef", PB_TAKEN, NULL,
     "refused where it is active"},
    {"equality/flex", "name class active flex", PB_TAKEN, NULL, "refused where it is active"},
    {"flexvert", "name class active flex", PB_TAKEN, NULL, "refused where it is active"},
    {"flexstrain", "name class active flex cell", PB_TAKEN, NULL, "refused where it is active"},
    {"distance", "name class active geom1 geom2 distance", PB_TAKEN, NULL,
     "refused where it is active"},
    {"connect", "solref solimp", PB_SILENT, NULL, NULL},
    {"weld", "solref solimp", PB_SILENT, NULL, NULL},
    {"equality/joint", "solref solimp", PB_SILENT, NULL, NULL},
    {"equality/tendon", "solref solimp", PB_SILENT, NULL, NULL},
    {"equality/flex", "solref solimp", PB_SILENT, NULL, NULL},
    {"flexvert", "solref solimp", PB_SILENT, NULL, NULL},
    {"flexstrain", "solref solimp", PB_SILENT, NULL, NULL},
    {"distance", "solref solimp", PB_SILENT, NULL, NULL},
    {"tendon", "", PB_TAKEN, NULL, NULL},
    {"fixed", "name class limited range stiffness damping armature springlength", PB_TAKEN, NULL,
     NULL},
    {"fixed", "frictionloss", PB_TAKEN, "0", "a warning: dry friction is not modelled"},
    {"fixed", SOFTNESS " actuatorfrclimited actuatorfrcrange", PB_SILENT, NULL, NULL},
    {"fixed/joint", "joint coef", PB_TAKEN, NULL, NULL},
    {"spatial", "name class limited range stiffness damping armature springlength", PB_TAKEN, NULL,
     "armature is refused"},
    {"spatial", "frictionloss", PB_TAKEN, "0", "a warning: dry friction is not modelled"},
    {"spatial", SOFTNESS " width material rgba actuatorfrclimited actuatorfrcrange", PB_SILENT,
     NULL, NULL},
    {"spatial/site", "site", PB_TAKEN, NULL, NULL},
    {"spatial/geom", "geom sidesite", PB_TAKEN, NULL, "refused where the tendon has a force"},
    {"pulley", "divisor", PB_TAKEN, NULL, NULL},

    // inputs
    {"actuator", "", PB_TAKEN, NULL, NULL},
    {"motor", ACTUATOR " armature damping", PB_TAKEN, NULL, "an input"},
    {"motor", ACTS_ALSO, PB_SILENT, NULL, NULL},
    {"motor", CRANK, PB_TAKEN, NULL, "not read, with a warning"},
    {"general", ACTUATOR " armature damping gaintype biastype gainprm biasprm dyntype", PB_TAKEN,
     NULL, "an input"},
    {"general", CRANK " body", PB_TAKEN, NULL, "not read, with a warning"},
    {"general", ACTS_ALSO " dynprm actrange actlimited actdim actearly input velrange ffrange",
     PB_SILENT, NULL, NULL},
    {"position", ACTUATOR " armature damping", PB_TAKEN, NULL,
     "its force is an input, with a warning"},
    {"position", "kp kv dampratio timeconst inheritrange " ACTS_ALSO, PB_SILENT, NULL, NULL},
    {"position", CRANK, PB_TAKEN, NULL, "not read, with a warning"},
    {"velocity", ACTUATOR " armature damping", PB_TAKEN, NULL,
     "its force is an input, with a warning"},
    {"velocity", "kv " ACTS_ALSO, PB_SILENT, NULL, NULL},
    {"velocity", CRANK, PB_TAKEN, NULL, "not read, with a warning"},
    {"intvelocity", ACTUATOR " armature damping", PB_TAKEN, NULL,
     "its force is an input, with a warning"},
    {"intvelocity", "kp kv dampratio inheritrange actrange actlimited " ACTS_ALSO, PB_SILENT, NULL,
     NULL},
    {"intvelocity", CRANK, PB_TAKEN, NULL, "not read, with a warning"},
    {"pid", NULL, PB_DROPPED, NULL, own_dynamics},
    {"actuator/orientation", NULL, PB_DROPPED, NULL, own_dynamics},
    {"dcmotor", NULL, PB_DROPPED, NULL, own_dynamics},
    {"damper", NULL, PB_DROPPED, NULL, own_dynamics},
    {"cylinder", NULL, PB_DROPPED, NULL, own_dynamics},
    {"muscle", NULL, PB_DROPPED, NULL, own_dynamics},
    {"adhesion", NULL, PB_DROPPED, NULL, "it acts on contacts"},
    {"actuator/plugin", NULL, PB_DROPPED, NULL, own_dynamics},

    // states
    {"keyframe", "", PB_TAKEN, NULL, NULL},
    {"key", "name qpos qvel ctrl", PB_TAKEN, NULL, "`start: {keyframe: NAME}` or `goal`"},
    {"key", "time act mpos mquat", PB_SILENT, NULL, NULL},
    {NULL, NULL, PB_TAKEN, NULL, NULL},
};

const pb_words pb_mjcf_words = {"MJCF", rows, true};
