#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runScript } from "./run-script.js";

// Whoever reads may stop before all is written: `kubewright logs | head`.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// The embedded cluster runs nobody else's code, so it can be one script that starts fast. Other commands share their modules with
// the project they are run in.
const argv = process.argv.slice(2);
const { main } =
  argv[0] === "cluster"
    ? runScript(fileURLToPath(new URL("../dist/kubewright.cjs", import.meta.url)))
    : await import("../dist/index.js");

process.exitCode = await main(argv);
