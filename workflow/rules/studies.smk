# A rule for each study. It runs the study's notebook, which computes the figures, writes their
# tables and pictures, and explains the model.
#
# in:  config/figures/STUDY.yaml, config/claims/STUDY.yaml, results/measurements/STUDY.csv,
#      data/ns2/, data/linux/, the traces and other data that the figures name
# out: results/STUDY/FIGURE.csv, results/STUDY/answers/, figures/STUDY/

TABLES = {
    study: [name for name, figure in figures.items() if figure.kind == "table"]
    for study, figures in STUDIES.items()
}
# A figure in another setting than the drawn one has a table, which claims read, but no picture.
PICTURES = {
    study: [name for name in DRAWN[study] if name not in TABLES[study]]
    for study in STUDIES
}


def claims_for(study):
    """Return a list with the study's file of claims; empty if its notebook shows no verdicts.

    The notebook for any study shows none.
    """
    claims = checked_configuration.claims.get(study)
    return [claims.file] if claims and Path(notebook(study)).stem == study else []


def tables_of(study):
    """Return the paths of the tables of a study's figures, one for each figure."""
    return [f"{RESULTS}/{study}/{name}.csv" for name in STUDIES[study]]


# Errors of models on random samples, by which `compare` advises in the lectures.
ERRORS_ON_SAMPLES = [str(file) for file in sorted(RECORDED_SAMPLES.glob("*_*.csv"))]

for study, figures in STUDIES.items():

    rule:
        name:
            f"study_{study}"
        input:
            OWN_MODELS,
            figures=ancient(figures_file(study)),
            claims=ancient(claims_for(study)),
            style=ancient(STYLE),
            measured=[f"{RESULTS}/measurements/{study}.csv"] if study in PARTS else [],
            records=records_of(study),
            advice=ERRORS_ON_SAMPLES,
            data=DATA_FILES["sources"][study],
            notebook=notebook(study),
        output:
            tables=shown(tables_of(study), study),
            answers=expand(
                f"{RESULTS}/{study}/answers/{{figure}}.{{kind}}",
                figure=figures,
                kind=["csv", "json"],
            ),
            pictures=shown(drawn(study, PICTURES[study]), study),
            notebook=f"{RESULTS}/{study}/{study}.ipynb",
        log:
            f"{LOGS}/studies/{study}.log",
        benchmark:
            f"{LOGS}/benchmarks/studies/{study}.tsv"
        threads: 1
        params:
            parameters=parameters(
                study=study,
                measurements=f"{RESULTS}/measurements/{study}.csv",
                results=RESULTS,
                figures=FIGURES,
            ),
            content=content(figures_file(study), *claims_for(study), STYLE),
            code=code("api.study", *TEACHING),
        message:
            f"Computing the figures of {study}"
        shell:
            RUN_NOTEBOOK


ANSWERS = [
    f"{RESULTS}/{study}/answers/{name}.csv"
    for study, figures in STUDIES.items()
    for name in figures
]
