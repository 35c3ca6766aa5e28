# Rules for the report, the explorer's page, the documentation's site, and the files that serve to
# compare and cite a run. All numbers of the report come from tables of results.

# The manifest of the released results is not an input, because results must not depend on it.
RECORDS = sorted(
    str(file)
    for file in Path("data").rglob("*")
    if file.suffix in (".csv", ".json")
    and file.name != "datapackage.json"
    and Path("data/reference") not in file.parents
)
PAPER_SOURCES = sorted(
    str(file)
    for file in Path("paper").rglob("*")
    if file.suffix in (".tex", ".bib", ".yaml")
)
PARTS_OF_REPORT = [
    "macros", "standing", "errata", "models", "conditions", "sections", "intervals",
    "speed", "version", "reductions", "links", "levels", "samples", "recorded", "kernel",
    "held", "compared_referees", "senders",
    "pictures",
]  # fmt: skip
PICTURES_OF_PAPER = ["bursts", "recovery", "resonance", "settings", "recorded", "undo"]


COMPUTING = [
    "simulate",
    *(f"study_{study}" for study in STUDIES),
    *(["comparison"] if COMPARED else []),
    *(["validation"] if HELD else []),
    *(["inputs"] if INPUTS else []),
    "referees",
    "claims",
    *SAMPLES,
]


rule numbers:
    input:
        OWN_MODELS,
        answers=ANSWERS,
        measured=[f"{RESULTS}/measurements/{part}.csv" for part in PARTS],
        tables=[file for study in STUDIES for file in tables_of(study)],
        comparison=[*COMPARISON, *MAP_ANSWERS, *HELD, *INPUTS_TABLES],
        samples=findings(EXTENTS),
        referees=f"{RESULTS}/referees.csv",
        claims=f"{RESULTS}/claims.csv",
        readings=f"{RESULTS}/claims_readings.csv",
        settings=SETTINGS_TABLES,
        printed=rules.claims.output.printed,
        records=RECORDS,
        sources=PAPER_SOURCES,
        configuration=ancient(list(STATED)),
    output:
        parts=expand(f"{RESULTS}/report/{{part}}.tex", part=PARTS_OF_REPORT),
        references=f"{RESULTS}/report/models.bib",
        pictures=expand(
            f"{RESULTS}/report/{{picture}}.{{kind}}",
            picture=PICTURES_OF_PAPER,
            kind=["pdf", "png"],
        ),
        tables=shown(
            expand(
                f"{RESULTS}/{{table}}.csv",
                table=[
                    *("errata", "inventory", "macros", "agreement"),
                    *("links", "kernel", "recorded", "fallen_sentences"),
                ],
            ),
            "Report",
        ),
        studies=expand(
            f"{RESULTS}/{{study}}/{{part}}.tex",
            study=STUDIES,
            part=["figures", "settings", "claims", "printed"],
        ),
    log:
        f"{LOGS}/numbers.log",
    benchmark:
        f"{LOGS}/benchmarks/numbers.tsv"
    threads: 1
    params:
        # A function, because Snakemake's linter refuses a constant that begins an output's path.
        results=lambda wildcards: RESULTS,
        pictures="\n".join(
            os.path.relpath(file, FIGURES).removesuffix(".pdf")
            for file in made_by(*COMPUTING)
            if file.endswith(".pdf")
        ),
        options=configuration_options(CHANGES),
        content=content(*STATED),
        code=code("report.__main__", "models"),
        version=VERSION,
    message:
        "Writing the report's numbers and tables"
    shell:
        "python -m tcpgoodput.report {params.results:q} {params.options} <<< {params.pictures:q}"
        " > {log:q} 2>&1"


if TYPESETTER:

    rule report:
        input:
            parts=rules.numbers.output,
            pictures=[file for file in made_by(*COMPUTING) if file.endswith(".pdf")],
            sources=PAPER_SOURCES,
            dated="CITATION.cff",
        output:
            report(
                RUN.report,
                category="Report",
                labels={"figure": "The report", "kind": "PDF"},
            ),
        log:
            f"{LOGS}/report.log",
        benchmark:
            f"{LOGS}/benchmarks/report.tsv"
        threads: 1
        params:
            code=code("report.typeset"),
        message:
            "Typesetting the report"
        shell:
            "python -m tcpgoodput.report.typeset {output:q} > {log:q} 2>&1"

    # The report as HTML, made by LaTeXML; only on request.
    rule html:
        input:
            report=RUN.report,
            pictures=[file for file in made_by(*COMPUTING) if file.endswith(".png")],
            style="paper/web.css",
        output:
            f"{RESULTS}/html/index.html",
        log:
            f"{LOGS}/html.log",
        threads: 1
        params:
            code=code("report.html"),
        message:
            "Making the report's HTML"
        shell:
            "python -m tcpgoodput.report.html {output:q} > {log:q} 2>&1"


if COMPARED:

    rule explorer:
        input:
            OWN_MODELS,
            measured=f"{RESULTS}/measurements/explorer.csv",
            scenarios=SCENARIO_ANSWERS,
            tables=[file for study in STUDIES for file in tables_of(study)],
            comparison=COMPARISON,
            claims=f"{RESULTS}/claims.csv",
            pictures=[p for study in STUDIES for p in drawn(study, PICTURES[study])],
            samples=[str(file) for file in sorted(RECORDED_SAMPLES.glob("*"))],
            configuration=ancient(list(STATED)),
        output:
            page=f"{RESULTS}/explorer.html",
            answers=f"{RESULTS}/explorer.json",
        log:
            f"{LOGS}/explorer.log",
        benchmark:
            f"{LOGS}/benchmarks/explorer.tsv"
        threads: 1
        params:
            results=lambda wildcards: RESULTS,
            figures=lambda wildcards: FIGURES,
            options=configuration_options(OTHER_CHANGES),
            content=content(*STATED),
            code=code("cli.explorer.static_page", "models") + digest_of_parts(),
        message:
            "Making the explorer's page"
        shell:
            "python -m tcpgoodput.cli.explorer.static_page {params.results:q} {params.figures:q}"
            " {output.page:q} {params.options} > {log:q} 2>&1"


PUBLISHING = [
    *COMPUTING,
    "numbers",
    *(["report"] if TYPESETTER else []),
    *(["explorer"] if COMPARED else []),
]


rule manifest:
    input:
        made_by(*PUBLISHING),
        columns="workflow/columns.yaml",
    output:
        f"{RESULTS}/manifest.json",
        f"{RESULTS}/manifest.parquet",
        f"{RESULTS}/datapackage.json",
    log:
        f"{LOGS}/manifest.log",
    benchmark:
        f"{LOGS}/benchmarks/manifest.tsv"
    threads: 1
    params:
        results=lambda wildcards: RESULTS,
        options=configuration_options(CHANGES),
        root=RUN.root,
        content=content(*STATED),
        code=code("project.publish"),
        version=VERSION,
        made=json.dumps(
            {
                name: {
                    "code": getattr(rules, name).params.code,
                    "files": [
                        os.path.relpath(file, RUN.root)
                        for file in made_by(name)
                        if "/answers/" not in file
                    ],
                }
                for name in PUBLISHING
                if made_by(name)
            }
        ),
    message:
        "Writing the manifest"
    shell:
        "python -m tcpgoodput.project.publish {params.root:q} {params.results:q} {params.options}"
        " <<< {params.made:q} > {log:q} 2>&1"


# The documentation, with the notebooks executed by the run; only on request.
rule site:
    input:
        notebooks=[file for file in made_by(*COMPUTING[1:]) if file.endswith(".ipynb")],
        tables=[file for file in made_by(*COMPUTING[1:]) if file.endswith(".csv")],
        pictures=[file for file in made_by(*COMPUTING[1:]) if file.endswith(".png")],
        pages=own_files(),
        records=RECORDS,
        configuration=list(STATED),
    output:
        f"{RESULTS}/site/index.html",
    log:
        f"{LOGS}/site.log",
    threads: 1
    params:
        results=lambda wildcards: RESULTS,
        figures=lambda wildcards: FIGURES,
        options=configuration_options(OTHER_CHANGES),
        code=code(
            "report.site.__main__",
            "report.site.generated",
            "report.site.mathml",
            *TEACHING,
        ),
        version=VERSION,
    message:
        "Building the site"
    shell:
        "python -m tcpgoodput.report.site {output:q} {input.notebooks:q} --results {params.results:q}"
        " --figures {params.figures:q} {params.options} > {log:q} 2>&1"
