/* SPDX-License-Identifier: GPL-3.0-or-later
 * The table. A row covers models from first to last; the first row that fits counts. */
#include "agent/platform/microarch.h"

#include <stddef.h>
#include <string.h>

struct x86 {
    unsigned family, first, last;
    const char *name;
};
static const struct x86 intel[] = {
    {5,    0x00, 0xff, "P5"             },
    {6,    0x01, 0x01, "P6"             },
    {6,    0x03, 0x0b, "P6"             },
    {6,    0x09, 0x09, "Pentium M"      },
    {6,    0x0d, 0x0e, "Pentium M"      },
    {6,    0x0f, 0x0f, "Core 2"         },
    {6,    0x16, 0x16, "Core 2"         },
    {6,    0x17, 0x17, "Penryn"         },
    {6,    0x1d, 0x1d, "Penryn"         },
    {6,    0x1a, 0x1a, "Nehalem"        },
    {6,    0x1e, 0x1f, "Nehalem"        },
    {6,    0x2e, 0x2e, "Nehalem"        },
    {6,    0x25, 0x25, "Westmere"       },
    {6,    0x2c, 0x2c, "Westmere"       },
    {6,    0x2f, 0x2f, "Westmere"       },
    {6,    0x2a, 0x2a, "Sandy Bridge"   },
    {6,    0x2d, 0x2d, "Sandy Bridge"   },
    {6,    0x3a, 0x3a, "Ivy Bridge"     },
    {6,    0x3e, 0x3e, "Ivy Bridge"     },
    {6,    0x3c, 0x3c, "Haswell"        },
    {6,    0x3f, 0x3f, "Haswell"        },
    {6,    0x45, 0x46, "Haswell"        },
    {6,    0x3d, 0x3d, "Broadwell"      },
    {6,    0x47, 0x47, "Broadwell"      },
    {6,    0x4f, 0x4f, "Broadwell"      },
    {6,    0x56, 0x56, "Broadwell"      },
    {6,    0x4e, 0x4e, "Skylake"        },
    {6,    0x5e, 0x5e, "Skylake"        },
    {6,    0x55, 0x55, "Skylake-X"      }, /* stepping tells Cascade and Cooper Lake apart */
    {6,    0x8e, 0x8e, "Kaby Lake"      },
    {6,    0x9e, 0x9e, "Kaby Lake"      },
    {6,    0xa5, 0xa6, "Comet Lake"     },
    {6,    0x66, 0x66, "Cannon Lake"    },
    {6,    0x6a, 0x6a, "Ice Lake"       },
    {6,    0x6c, 0x6c, "Ice Lake"       },
    {6,    0x7d, 0x7e, "Ice Lake"       },
    {6,    0x8c, 0x8d, "Tiger Lake"     },
    {6,    0xa7, 0xa7, "Rocket Lake"    },
    {6,    0x8f, 0x8f, "Sapphire Rapids"},
    {6,    0xcf, 0xcf, "Emerald Rapids" },
    {6,    0xad, 0xae, "Granite Rapids" },
    {6,    0xaf, 0xaf, "Sierra Forest"  },
    {6,    0x97, 0x97, "Alder Lake"     },
    {6,    0x9a, 0x9a, "Alder Lake"     },
    {6,    0xb7, 0xb7, "Raptor Lake"    },
    {6,    0xba, 0xba, "Raptor Lake"    },
    {6,    0xbf, 0xbf, "Raptor Lake"    },
    {6,    0xaa, 0xaa, "Meteor Lake"    },
    {6,    0xac, 0xac, "Meteor Lake"    },
    {6,    0xbd, 0xbd, "Lunar Lake"     },
    {6,    0xc5, 0xc6, "Arrow Lake"     },
    {6,    0x1c, 0x1c, "Bonnell"        },
    {6,    0x26, 0x27, "Bonnell"        },
    {6,    0x35, 0x36, "Saltwell"       },
    {6,    0x37, 0x37, "Silvermont"     },
    {6,    0x4a, 0x4a, "Silvermont"     },
    {6,    0x4d, 0x4d, "Silvermont"     },
    {6,    0x4c, 0x4c, "Airmont"        },
    {6,    0x5c, 0x5c, "Goldmont"       },
    {6,    0x5f, 0x5f, "Goldmont"       },
    {6,    0x7a, 0x7a, "Goldmont Plus"  },
    {6,    0x86, 0x86, "Tremont"        },
    {6,    0x96, 0x96, "Tremont"        },
    {6,    0x9c, 0x9c, "Tremont"        },
    {6,    0xbe, 0xbe, "Gracemont"      },
    {6,    0x57, 0x57, "Knights Landing"},
    {6,    0x85, 0x85, "Knights Mill"   },
    {0x0f, 0x00, 0xff, "NetBurst"       },
};
static const struct x86 amd[] = {
    {5,    0x00, 0xff, "K6"         },
    {6,    0x00, 0xff, "K7"         },
    {0x0f, 0x00, 0xff, "K8"         },
    {0x10, 0x00, 0xff, "K10"        },
    {0x11, 0x00, 0xff, "K8"         },
    {0x12, 0x00, 0xff, "K10"        },
    {0x14, 0x00, 0xff, "Bobcat"     },
    {0x15, 0x00, 0x01, "Bulldozer"  },
    {0x15, 0x02, 0x1f, "Piledriver" },
    {0x15, 0x30, 0x3f, "Steamroller"},
    {0x15, 0x60, 0x7f, "Excavator"  },
    {0x16, 0x00, 0x0f, "Jaguar"     },
    {0x16, 0x30, 0x3f, "Puma"       },
    {0x17, 0x00, 0x07, "Zen"        },
    {0x17, 0x08, 0x08, "Zen+"       },
    {0x17, 0x10, 0x17, "Zen"        },
    {0x17, 0x18, 0x18, "Zen+"       },
    {0x17, 0x20, 0x2f, "Zen"        },
    {0x17, 0x30, 0xff, "Zen 2"      },
    {0x19, 0x00, 0x0f, "Zen 3"      },
    {0x19, 0x10, 0x1f, "Zen 4"      },
    {0x19, 0x20, 0x5f, "Zen 3"      },
    {0x19, 0x60, 0x7f, "Zen 4"      },
    {0x19, 0xa0, 0xaf, "Zen 4c"     },
    {0x1a, 0x00, 0xff, "Zen 5"      },
};
struct arm {
    unsigned implementer, part;
    const char *name;
};
static const struct arm arm[] = {
    {0x41, 0xd03, "Cortex-A53"  },
    {0x41, 0xd04, "Cortex-A35"  },
    {0x41, 0xd05, "Cortex-A55"  },
    {0x41, 0xd07, "Cortex-A57"  },
    {0x41, 0xd08, "Cortex-A72"  },
    {0x41, 0xd09, "Cortex-A73"  },
    {0x41, 0xd0a, "Cortex-A75"  },
    {0x41, 0xd0b, "Cortex-A76"  },
    {0x41, 0xd0c, "Neoverse N1" },
    {0x41, 0xd0d, "Cortex-A77"  },
    {0x41, 0xd40, "Neoverse V1" },
    {0x41, 0xd41, "Cortex-A78"  },
    {0x41, 0xd44, "Cortex-X1"   },
    {0x41, 0xd49, "Neoverse N2" },
    {0x41, 0xd4f, "Neoverse V2" },
    {0x43, 0x0a1, "ThunderX"    },
    {0x43, 0x0af, "ThunderX2"   },
    {0x46, 0x001, "A64FX"       },
    {0x48, 0xd01, "TaiShan v110"},
    {0x61, 0x022, "Icestorm"    },
    {0x61, 0x023, "Firestorm"   },
    {0xc0, 0xac3, "Ampere-1"    },
    {0xc0, 0xac4, "Ampere-1a"   },
};

static const char *find(const struct x86 *v, size_t n, unsigned family, unsigned model)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].family == family && v[i].first <= model && model <= v[i].last)
            return v[i].name;
    return NULL;
}

const char *microarch_x86(const char *vendor, unsigned family, unsigned model)
{
    if (strcmp(vendor, "Intel") == 0)
        return find(intel, sizeof intel / sizeof *intel, family, model);
    if (strcmp(vendor, "AMD") == 0)
        return find(amd, sizeof amd / sizeof *amd, family, model);
    if (strcmp(vendor, "Hygon") == 0)
        return "Zen";
    return NULL;
}

const char *microarch_arm(unsigned implementer, unsigned part)
{
    for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
        if (arm[i].implementer == implementer && arm[i].part == part)
            return arm[i].name;
    return NULL;
}
