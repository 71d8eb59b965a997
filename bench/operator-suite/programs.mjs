// The programs that are measured beside each other: the same operator, written with each library.
import { buildGoProgram } from "./go-program.mjs";
import { bundle, unbundled } from "./processes.mjs";

const all = ["kubewright", "packages", "client-node", "fluent-client", "client-go"];

/**
 * Their names, all unless some are named, and their files, and that of the embedded server. `kubewright` is one bundled file, as in production;
 * `packages` is the same program unbundled. The one of client-go is left out where it cannot be built; `goProgram` says why.
 */
export async function operatorPrograms(folder, only = all) {
  const goProgram = only.includes("client-go") ? buildGoProgram(folder) : { why: "not asked for" };
  const names = all.filter((name) => only.includes(name) && (name !== "client-go" || goProgram.file));
  const { server, kubewright } = await bundle(["server", "kubewright"]);
  const files = {
    kubewright,
    packages: unbundled("kubewright"),
    "client-node": unbundled("client-node"),
    "fluent-client": unbundled("fluent-client"),
    "client-go": goProgram.file,
  };
  return { names, files, server, goProgram };
}
