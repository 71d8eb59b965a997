// The model in place of mongod, as a program: what an image map names for images of mongo.
import { startProgram } from "./program.js";

startProgram({
  arguments: process.argv.slice(2),
  environment: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
}).then(
  (end) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.once(signal, () => void end().then(() => process.exit(0)));
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    // As mongod ends where it must not start on the data it finds.
    process.exit(62);
  },
);
