# Rules that record measurements by ns-2 and Linux in data/, if these are installed. No other rule
# needs them. Records are not declared as outputs, because Snakemake deletes outputs of a failed job.

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
    threads: workflow.cores  # reserve all cores; the job limits its parallel runs
    params:
        asked_at=time.time(),  # always run again on request
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
