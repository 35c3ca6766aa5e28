# What ns-2 and Linux measure, recorded in data/ by who has them. Nothing else in the workflow needs
# this. The records are no outputs: Snakemake deletes those of a failed job.

REFEREED = [
    (engine, study)
    for engine in REFEREE_NAMES
    for study, figures in STUDIES.items()
    if any(engine in engines_of(figure) for figure in figures.values())
]
REFEREED += [(engine, "comparison") for engine in REFEREE_NAMES if COMPARED]
REFEREED += [
    (engine, "heldout") for engine in REFEREE_NAMES if COMPARED and COMPARED.held
]


rule record:
    output:
        f"{RESULTS}/referees/{{engine}}/{{study}}.json",
    log:
        f"{LOGS}/record/{{engine}}/{{study}}.log",
    wildcard_constraints:
        engine="|".join(REFEREE_NAMES),
    threads: workflow.cores  # runs go side by side, as many as disturb nothing
    params:
        asked_at=time.time(),  # who asks for referees wants them now, whatever is there
        settings=str(CONFIGURATION),
        changes=json.dumps(CHANGES),
    message:
        "Recording what {wildcards.engine} measures for {wildcards.study}"
    shell:
        "python -m tcpgoodput.project.recording --changes {params.changes:q} {params.settings:q}"
        " {wildcards.study} {wildcards.engine} {output:q} 2>&1 | tee {log:q}"


rule referees:
    input:
        [f"{RESULTS}/referees/{engine}/{study}.json" for engine, study in REFEREED],
