# The workflow is where the public catalogue of workflows looks for it.
include: "workflow/Snakefile"


workflow.default_target = (
    "all"  # what an included file calls its default does not count
)
