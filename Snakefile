# Recomputes every figure and table of the five studies and typesets the report.
#
#   snakemake --cores all                              everything
#   snakemake --cores all --config precision=draft     a first look
#   snakemake --cores all figures/mathis/fig02.pdf     one figure
#   snakemake --cores all referees                     ns-2 and Linux again, into data/
#
# Settings are in config/config.yaml; rules are in workflow/rules/.

import os
import sys

from snakemake.utils import min_version

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.workflow import Plan

min_version("9.27")

# Configuration is data: it is read by our own strict loader, never by Snakemake's.
try:
    plan = Plan.from_command_line(config, workflow.overwrite_configfiles)
except ConfigurationError as error:
    print(error, file=sys.stderr, flush=True)
    os._exit(2)


include: "workflow/rules/simulations.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/comparison.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/referees.smk"


rule all:
    default_target: True
    input:
        plan.targets,
