# Measurements by the packet simulator for one part of a run, such as a study or a map. There is a
# table for each part, all with the same columns. Connections that are already in the table are not
# measured again.
#
# in:  the connections to measure, by the configuration
# out: results/measurements/PART.csv


# Build numba's compiled code and matplotlib's list of fonts first, because parallel jobs would all
# build these caches at the same time. Changed code is compiled by the first job that needs it.
onstart:
    if not Path(".cache/warm").is_file():
        print(
            "Compiling the simulator and the models, once: a minute.",
            file=sys.stderr,
        )
        shell("python -m tcpgoodput.engines.referees > /dev/null")
        Path(".cache/warm").touch()


rule simulate:
    input:
        notebook=notebook("simulate"),
    output:
        table=update(f"{RESULTS}/measurements/{{part}}.csv"),
        notebook=f"{RESULTS}/measurements/{{part}}.ipynb",
    log:
        f"{LOGS}/simulate/{{part}}.log",
    benchmark:
        f"{LOGS}/benchmarks/simulate/{{part}}.tsv"
    wildcard_constraints:
        part="|".join(PARTS),
    priority: 2  # start these jobs first, because the report depends on them
    threads: (workflow.cores + 1) // 2
    params:
        parameters=lambda wildcards, output, threads: parameters(
            part=wildcards.part, table=output.table, cores=threads
        ),
        # Digest of the requested connections: if only a label changes, nothing is measured again.
        requests=lambda wildcards: PARTS[wildcards.part],
        code=code("engines.measure", "engines.packet", "engines.closeness"),
    message:
        "Measuring {wildcards.part}"
    shell:
        RUN_NOTEBOOK
