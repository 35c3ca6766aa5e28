# The report: every number, table and list in it is made from results.


rule report_parts:
    input:
        answers=plan.answers,
        measured=plan.measured,
        rows=plan.published,
        compared=plan.comparison.tables,
        maps=plan.comparison.map_parts,
        censuses=plan.census_findings,
        records=plan.records,
        referees="<results>/referees.csv",
        claims="<results>/claims.csv",
        readings="<results>/claims_readings.csv",
        templates=plan.report_templates,
        references="paper/references.bib",
        sentences="paper/sentences.yaml",
        asked="<plan>/report.json",
        code="<plan>/code/report_parts.json",
    output:
        of_all_studies(plan, "Report", plan.report_parts),
    log:
        "<logs>/report_parts.log",
    benchmark:
        "<logs>/benchmarks/report_parts.tsv"
    threads: 1
    message:
        "Writing the report's numbers and tables"
    shell:
        "run tcpgoodput.report {input.asked:q} $results > {log:q} 2>&1"


if plan.typesetter:

    rule report:
        input:
            parts=plan.report_parts,
            pictures=plan.report_pictures,
            sources=plan.paper_sources,
            dated="CITATION.cff",
            code="<plan>/code/report.json",
        output:
            of_all_studies(plan, "Report", [plan.run.report]),
        log:
            "<logs>/report.log",
        benchmark:
            "<logs>/benchmarks/report.tsv"
        threads: 1
        message:
            "Typesetting the report"
        shell:
            "run tcpgoodput.report.typeset {output:q} > {log:q} 2>&1"
