# What is recorded in data/ by who has it: ns-2 and Linux, others' recordings of links. Nothing else in
# the workflow needs them.


rule agreement:
    input:
        ancient(".cache/warm/fonts"),
        answers=plan.answers,
        compared=plan.comparison.parts,
        records=plan.comparison.recorded,
        notebook="notebooks/referees.ipynb",
        asked="<plan>/referees.json",
        code="<plan>/code/agreement.json",
    output:
        of_all_studies(plan, "Referees", plan.agreement),
    log:
        "<logs>/agreement.log",
    benchmark:
        "<logs>/benchmarks/agreement.tsv"
    threads: 1
    message:
        "Holding the simulator against ns-2 and Linux"
    shell:
        "run tcpgoodput.referees.notebook {input.asked:q} {input.notebook:q} $results"
        " > {log:q} 2>&1"


rule referees:
    input:
        plan.referee_summaries,


# The records themselves are no outputs: Snakemake deletes those of a job that fails.
rule record:
    output:
        "<results>/referees/{engine}/{study}.json",
    log:
        "<logs>/record/{engine}/{study}.log",
    benchmark:
        "<logs>/benchmarks/record/{engine}/{study}.tsv"
    wildcard_constraints:
        engine=plan.any_of([engine for engine, _ in plan.refereed]),
        study=plan.any_of([study for _, study in plan.refereed]),
    threads: workflow.cores  # runs go side by side, as many as disturb nothing
    params:
        asked_at=plan.began,  # who asks for referees wants them now, whatever is there
        settings=str(plan.configuration.path),
        changes=plan.changes,
    message:
        "Recording what {wildcards.engine} measures for {wildcards.study}"
    shell:
        "run tcpgoodput.referees --changes {params.changes:q} {params.settings:q}"
        " {wildcards.study} {wildcards.engine} {output:q} 2>&1 | tee {log:q}"


# As for referees, the tables themselves are no outputs.
rule links:
    output:
        "<results>/links/recorded.json",
    log:
        "<logs>/links.log",
    benchmark:
        "<logs>/benchmarks/links.tsv"
    threads: 1
    params:
        asked_at=plan.began,
        folder=plan.configuration.settings.recordings or [],
    message:
        "Measuring over recorded links, for data/links: minutes, told in {log}"
    shell:
        "run tcpgoodput.recordings {params.folder:q} --summary {output:q} > {log:q} 2>&1"
