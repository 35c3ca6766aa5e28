# Referees: ns-2 and Linux, recorded in data/ by who has them; nothing else in the workflow needs them.


rule agreement:
    input:
        ancient(".cache/warm/fonts"),
        rows=[row for source in plan.sources for row in plan.computed(source)],
        compared=plan.compared_parts,
        records=plan.recorded("comparison"),
        notebook="notebooks/referees.ipynb",
    output:
        of_all_studies(plan, "Referees", plan.agreement),
    log:
        "<logs>/agreement.log",
    benchmark:
        "<logs>/benchmarks/agreement.tsv"
    params:
        shown=plan.agreement_shown,
        code=plan.code("studies", "drawing", "referees"),
    message:
        "Holding the simulator against ns-2 and Linux"
    shell:
        "job tcpgoodput.referees.notebook {input.notebook:q} $results > {log:q} 2>&1"


rule referees:
    input:
        plan.referee_summaries,


# The records themselves are no outputs: Snakemake deletes those of a job that fails.
rule record:
    output:
        "<results>/referees/{engine}/{source}.json",
    log:
        "<logs>/record/{engine}/{source}.log",
    benchmark:
        "<logs>/benchmarks/record/{engine}/{source}.tsv"
    wildcard_constraints:
        engine=plan.names_of([engine for engine, _ in plan.refereed]),
        source=plan.names_of([source for _, source in plan.refereed]),
    threads: workflow.cores  # runs go side by side, as many as disturb nothing
    params:
        asked_at=plan.began,  # who asks for referees wants them now, whatever is there
    message:
        "Recording what {wildcards.engine} measures for {wildcards.source}"
    shell:
        "job tcpgoodput.referees"
        " {wildcards.source} {wildcards.engine} {output:q} 2>&1 | tee {log:q}"
