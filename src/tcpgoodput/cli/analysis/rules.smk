# Jobs of your own: `snakemake mine` runs this one.
rule mine:
    input:
        f"{RESULTS}/comparison.csv",
    output:
        f"{RESULTS}/closest.csv",
    run:
        import pandas as pd

        rows = pd.read_csv(input[0]).dropna(subset="log_error")
        closest = rows.loc[rows["log_error"].abs().groupby(rows["scenario"]).idxmin()]
        closest.to_csv(output[0], index=False)
