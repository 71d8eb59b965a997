#!/usr/bin/env node
import { main } from "../dist/index.js";

// Whoever reads may stop before all is written: `kubewright logs | head`.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});
process.exitCode = await main(process.argv.slice(2));
