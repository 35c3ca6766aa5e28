# Rules that compare all models with the simulator, the simulator with ns-2 and Linux, and the
# results with the claims of the studies; and predictions that know less of the link.
#
# in:  config/comparison.yaml, config/inputs.yaml, config/census/, data/census/, data/links/,
#      config/scenarios/, config/claims/, results/measurements/, results/STUDY/answers/,
#      data/ns2/, data/linux/
# out: results/comparison.csv, results/comparison/, results/heldout/, results/inputs/,
#      results/referees.csv, results/claims.csv, figures/comparison/, figures/inputs/,
#      figures/referees/, figures/claims/

# The random samples whose connections judge predictions, and the files that define them.
INPUTS = checked_configuration.inputs
JUDGED_SAMPLES = INPUTS.samples if INPUTS else []
JUDGED_FILES = (
    [str(CONFIGURATION.parent / SETTINGS.inputs), *map(census_file, JUDGED_SAMPLES)]
    if INPUTS
    else []
)
JUDGED_TABLES = {name: table_of(name, EXTENTS[name]) for name in JUDGED_SAMPLES}
# Kinds of link, each with the family of models that the report names for it.
KINDS_OF_LINK = "paper/links.yaml"

if COMPARED:
    FOLDER = CONFIGURATION.parent / Path(SETTINGS.comparison).parent
    SCENARIO_FILES = sorted(
        map(str, (FOLDER / COMPARED.settings.scenarios).glob(NAMES))
    )
    MAPS = list(COMPARED.settings.maps)
    COMPARISON = [
        f"{RESULTS}/comparison.csv",
        *expand(
            f"{RESULTS}/comparison/{{name}}.csv",
            name=["families", "ranking", "sensitivity"],
        ),
    ]
    COMPARISON_PICTURES = drawn(
        "comparison",
        [
            *("matrix", "variations", "ranking", "sensitivity"),
            *(f"map_{name}" for name in MAPS),
        ],
    )
    SCENARIO_ANSWERS = expand(
        f"{RESULTS}/comparison/scenarios/{{stem}}.json", stem=COMPARED.scenarios
    )
    MAP_ANSWERS = expand(f"{RESULTS}/comparison/maps/{{name}}.csv", name=MAPS)
else:
    COMPARISON = COMPARISON_PICTURES = SCENARIO_ANSWERS = MAP_ANSWERS = []


if COMPARED:

    rule comparison:
        input:
            OWN_MODELS,
            settings=ancient(COMPARISON_FILES),
            scenarios=ancient(SCENARIO_FILES),
            style=ancient(STYLE),
            measured=expand(
                f"{RESULTS}/measurements/{{part}}.csv",
                part=[p for p in PARTS if p.startswith(("comparison", "maps/"))],
            ),
            notebook=notebook("comparison"),
        output:
            tables=shown(COMPARISON, "Comparison"),
            scenarios=SCENARIO_ANSWERS,
            maps=MAP_ANSWERS,
            pictures=shown(COMPARISON_PICTURES, "Comparison"),
            notebook=f"{RESULTS}/comparison/comparison.ipynb",
        log:
            f"{LOGS}/comparison.log",
        benchmark:
            f"{LOGS}/benchmarks/comparison.tsv"
        threads: 1
        params:
            parameters=parameters(
                measurements=f"{RESULTS}/measurements",
                results=RESULTS,
                figures=FIGURES,
            ),
            content=content(*COMPARISON_FILES, *SCENARIO_FILES, STYLE),
            code=code("api.matrix", "models"),
        message:
            "Comparing all models"
        shell:
            RUN_NOTEBOOK


if COMPARED and COMPARED.held:
    HELD_FILE = str(FOLDER / COMPARED.settings.held)
    HELD = expand(
        f"{RESULTS}/heldout/{{name}}.csv",
        name=[
            *("counts", "rows", "errors", "pairs", "engines"),
            *("samples", "statuses", "paired", "predictions"),
        ],
    )
    HELD_PICTURES = drawn("comparison", ["held"])

    rule validation:
        input:
            OWN_MODELS,
            settings=ancient(COMPARISON_FILES),
            held=ancient(HELD_FILE),
            style=ancient(STYLE),
            measured=f"{RESULTS}/measurements/heldout.csv",
            records=[*records_of("heldout"), *records_of("inputs")],
            samples=list(JUDGED_TABLES.values()),
            judges=ancient(JUDGED_FILES),
            links=KINDS_OF_LINK,
            notebook=notebook("validation"),
        output:
            tables=shown(HELD, "Comparison"),
            pictures=shown(HELD_PICTURES, "Comparison"),
            notebook=f"{RESULTS}/heldout/validation.ipynb",
        log:
            f"{LOGS}/validation.log",
        benchmark:
            f"{LOGS}/benchmarks/validation.tsv"
        threads: 1
        params:
            parameters=parameters(
                measurements=f"{RESULTS}/measurements/heldout.csv",
                samples=JUDGED_TABLES,
                results=RESULTS,
                figures=FIGURES,
            ),
            content=content(*COMPARISON_FILES, HELD_FILE, *JUDGED_FILES, STYLE),
            code=code("api.validation", "models"),
        message:
            "Judging all models on the held-out connections"
        shell:
            RUN_NOTEBOOK

else:
    HELD = HELD_PICTURES = []


if INPUTS:
    INPUTS_TABLES = expand(
        f"{RESULTS}/inputs/{{name}}.csv",
        name=[
            *("errors", "gains", "predictors", "regimes"),
            *("formulas", "recorded", "recorded_gains", "rows"),
        ],
    )
    INPUTS_PICTURES = drawn("inputs", ["levels"])

    rule inputs:
        input:
            OWN_MODELS,
            settings=ancient([*JUDGED_FILES, *COMPARISON_FILES]),
            style=ancient(STYLE),
            samples=list(JUDGED_TABLES.values()),
            measured=f"{RESULTS}/measurements/inputs.csv",
            records=records_of("inputs"),
            links=[
                f"data/links/{name}.csv"
                for name in ("inputs", "measured", "kernel_and_simulator")
            ],
            notebook=notebook("inputs"),
        output:
            tables=shown(INPUTS_TABLES, "Comparison"),
            pictures=shown(INPUTS_PICTURES, "Comparison"),
            notebook=f"{RESULTS}/inputs/inputs.ipynb",
        log:
            f"{LOGS}/inputs.log",
        benchmark:
            f"{LOGS}/benchmarks/inputs.tsv"
        threads: 1
        params:
            parameters=parameters(
                samples=JUDGED_TABLES,
                measurements=f"{RESULTS}/measurements/inputs.csv",
                results=RESULTS,
                figures=FIGURES,
            ),
            content=content(*JUDGED_FILES, *COMPARISON_FILES, STYLE),
            code=code("api.inputs", "models"),
        message:
            "Judging predictions by what they know of the link"
        shell:
            RUN_NOTEBOOK

else:
    INPUTS_TABLES = INPUTS_PICTURES = []


FIGURES_FILES = [figures_file(study) for study in STUDIES]


rule referees:
    input:
        answers=ANSWERS,
        scenarios=SCENARIO_ANSWERS,
        records=records_of("comparison"),
        figures=ancient(FIGURES_FILES),
        settings=ancient(COMPARISON_FILES),
        style=ancient(STYLE),
        notebook=notebook("referees"),
    output:
        table=f"{RESULTS}/referees.csv",
        pictures=shown(
            drawn(
                "referees", ["agreement", "scenarios"] if COMPARED else ["agreement"]
            ),
            "ns-2 and Linux",
        ),
        notebook=f"{RESULTS}/referees.ipynb",
    log:
        f"{LOGS}/referees.log",
    benchmark:
        f"{LOGS}/benchmarks/referees.tsv"
    threads: 1
    params:
        parameters=parameters(results=RESULTS, figures=FIGURES),
        content=content(*FIGURES_FILES, *COMPARISON_FILES, STYLE),
        code=code("api.referees"),
    message:
        "Comparing the simulator with ns-2 and Linux"
    shell:
        RUN_NOTEBOOK


CLAIMS_FILES = [claims.file for claims in checked_configuration.claims.values()]
PRINTED_FILES = [printed.file for printed in checked_configuration.printed.values()]

SETTINGS_TABLES = [
    f"{RESULTS}/{study}/settings.csv"
    for study in checked_configuration.claims
    if checked_configuration.sources[study].figures.settings
]


rule claims:
    input:
        OWN_MODELS,
        answers=ANSWERS,
        figures=ancient(FIGURES_FILES),
        claims=ancient(CLAIMS_FILES),
        printed=ancient(PRINTED_FILES),
        style=ancient(STYLE),
        notebook=notebook("claims"),
    output:
        verdicts=shown([f"{RESULTS}/claims.csv"], "Claims"),
        readings=f"{RESULTS}/claims_readings.csv",
        settings=shown(SETTINGS_TABLES, "Claims"),
        printed=shown(
            expand(
                f"{RESULTS}/{{study}}/printed.csv", study=checked_configuration.printed
            ),
            "Claims",
        ),
        pictures=shown(drawn("claims", ["verdicts"]), "Claims"),
        notebook=f"{RESULTS}/claims.ipynb",
    log:
        f"{LOGS}/claims.log",
    benchmark:
        f"{LOGS}/benchmarks/claims.tsv"
    threads: 1
    params:
        parameters=parameters(results=RESULTS, figures=FIGURES),
        content=content(*FIGURES_FILES, *CLAIMS_FILES, *PRINTED_FILES, STYLE),
        code=code("api.ledger", "models"),
    message:
        "Evaluating the claims"
    shell:
        RUN_NOTEBOOK
