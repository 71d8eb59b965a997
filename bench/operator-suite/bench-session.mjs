// What every benchmark of the operator suite begins and ends with: the programs, a server with the custom kind, and a kubeconfig for it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printComparison } from "../report/comparison.mjs";
import { saveResults } from "../report/results.mjs";
import { caller, install, uninstall } from "./objects.mjs";
import { removeBundles } from "./processes.mjs";
import { operatorPrograms } from "./programs.mjs";
import { embeddedServer, kubeconfigServer } from "./servers.mjs";

/**
 * Runs `measureAll` on an embedded server, or on the cluster of KUBECONFIG (`kubeconfig`), and cleans up after it. It is handed the names and files
 * of the programs, the server, a `call` for requests to it, and the environment in which a program finds it.
 */
export async function benchSession({ server: kindOfServer = "embedded", only }, measureAll) {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-bench-"));
  try {
    const programs = await operatorPrograms(folder, only?.split(","));
    const server =
      kindOfServer === "embedded" ? await embeddedServer(programs.server) : await kubeconfigServer();
    try {
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.where.kubeconfig, { mode: 0o600 });
      const call = caller(server.where);
      await install(call);
      try {
        await measureAll({ ...programs, server, call, environment: { KUBECONFIG: kubeconfig } });
      } finally {
        if (kindOfServer !== "embedded") await uninstall(call);
      }
    } finally {
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
    removeBundles();
  }
}

/** Each program once in every round, turn about, so that none always comes first. */
export async function measureInTurn(names, rounds, measure) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? names.toReversed() : names) results[name].push(await measure(name));
  return results;
}

/** Prints the comparison and keeps it as this benchmark's last run. The unbundled program is for us, and not published. */
export function reportComparison(benchmark, { title, comparison, names, goProgram }) {
  printComparison(comparison, names, { packages: "unbundled" });
  if (!goProgram.file) console.log(`client-go: skipped, ${goProgram.why}`);
  const published = names.filter((name) => name !== "packages");
  console.log(`saved in ${saveResults(benchmark, { title, names: published, comparison })}`);
}
