// The client-go program of the benchmark, where it can be built: with a Go on the path and the sources of client-go in
// GOPATH. Debian has both (testing and later): apt-get install golang-go golang-k8s-client-go-dev
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

const sources = join(import.meta.dirname, "client-go");
const howTo = "install golang-go and golang-k8s-client-go-dev of Debian testing or later";

/** Builds the program into a folder: its file, or why there is none. The first build of client-go takes minutes. */
export function buildGoProgram(folder) {
  const path = [process.env.GOPATH, "/usr/share/gocode"].filter((part) => part !== undefined);
  const env = {
    ...process.env,
    GOPATH: path.join(delimiter),
    GO111MODULE: "off",
    GOTOOLCHAIN: "local",
    CGO_ENABLED: "0",
  };
  const go = (...args) => spawnSync("go", args, { cwd: sources, env, encoding: "utf8", timeout: 600_000 });
  if (go("version").status !== 0) return { why: `there is no Go on this machine; ${howTo}` };
  if (go("list", "k8s.io/client-go/kubernetes").status !== 0)
    return { why: `the sources of client-go are not in GOPATH; ${howTo}` };
  const file = join(folder, "client-go");
  const built = go("build", "-o", file, ".");
  return built.status === 0 ? { file } : { why: `it does not build: ${built.error ?? built.stderr}` };
}
