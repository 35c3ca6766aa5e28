# The workflow is in the folder that the public catalogue of workflows expects.
include: "workflow/Snakefile"


workflow.default_target = "all"  # Snakemake ignores an included file's default
