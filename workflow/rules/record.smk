# Rules that record measurements by ns-2 and Linux in data/. They run only on request, and need
# ns-2, or root for Linux. The files in data/ are not declared as outputs, because Snakemake deletes
# the outputs of a failed job.
#
# in:  the connections of the study, by the configuration
# out: data/ns2/STUDY.csv, data/linux/STUDY.csv, results/referees/ENGINE/STUDY.json

REFEREED = [
    (engine, study)
    for engine in REFEREE_NAMES
    for study, figures in STUDIES.items()
    if any(
        series.engine == engine
        for figure in figures.values()
        if figure.kind == "lines"
        for panel in figure.panels.values()
        for series in panel.series
    )
]
REFEREED += [
    (engine, study)
    for study, there in (("comparison", COMPARED), ("heldout", HELD))
    if there
    for engine in REFEREE_NAMES
]
if checked_configuration.inputs:
    REFEREED += [
        (engine, "inputs") for engine in checked_configuration.inputs.settings.judges
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
        requested_at=time.time(),  # a new value each time, so that the job always runs on request
        settings=str(CONFIGURATION),
        changes=json.dumps(CHANGES),
    message:
        "Recording what {wildcards.engine} measures for {wildcards.study}"
    shell:
        "python -m tcpgoodput.project.recording --changes {params.changes:q} {params.settings:q}"
        " {wildcards.study} {wildcards.engine} {output:q} 2>&1 | tee {log:q}"


rule record_referees:
    input:
        [f"{RESULTS}/referees/{engine}/{study}.json" for engine, study in REFEREED],
