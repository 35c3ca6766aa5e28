# Recomputes every figure and table of the five studies and typesets the report.
#
#   snakemake                                          everything
#   snakemake --config precision=draft                 a first look, in runs/draft/
#   snakemake figures/mathis/fig02.pdf                 one figure
#   snakemake referees                                 ns-2 and Linux again, into data/
#
# Settings are in config/config.yaml; rules are in workflow/rules/; how many cores, in profiles/.

import os
import sys

from snakemake.utils import min_version

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.workflow.exhibits import of_all_studies, of_study
from tcpgoodput.workflow.holding import Holding
from tcpgoodput.workflow.plan import Plan
from tcpgoodput.workflow.summary import SHOWN, failed, finished

min_version("9.27")

# Configuration is data: it is read by our own strict loader, never by Snakemake's.
try:
    plan = Plan.from_command_line(config, workflow.overwrite_configfiles)
except ConfigurationError as error:
    print(error, file=sys.stderr, flush=True)
    os._exit(2)

# Only who executes jobs holds the tree, not who looks at the plan or runs one of the jobs.
if workflow.is_main_process and not workflow.output_settings.dryrun:
    logger.addFilter(Holding())


# What every job's command begins with; `job` runs a module of ours on the run's settings.
shell.prefix(plan.shell_prefix)


pathvars:
    results=plan.run.results,
    figures=plan.run.figures,
    paper=plan.run.paper,
    logs=plan.run.logs,


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


onstart:
    if taken_over := plan.run.taken_over(plan.made_of):
        logger.warning(taken_over)


onsuccess:
    logger.info(finished(plan, workflow), extra=SHOWN)


onerror:
    logger.info(failed(plan), extra=SHOWN)
