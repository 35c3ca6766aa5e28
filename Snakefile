# The workflow is in the folder that the public catalogue of workflows expects.
include: "workflow/Snakefile"


workflow.default_target = "all"  # the default of an included file does not count
