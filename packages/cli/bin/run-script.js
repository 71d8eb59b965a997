// Runs one large script with what V8 compiled of it the last time. Compiling is half of what a command does until it is ready, and
// Node.js keeps compiled modules by itself only from version 22 on, and apart from that only for those who ask.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { constants, Script } from "node:vm";

/** What a CommonJS module exports that was written as the function it is wrapped in; its first line says which build it is. */
export function runScript(file) {
  const source = readFileSync(file, "latin1");
  const cacheFile = join(
    dirname(file),
    "cache",
    `${source.slice(3, 19)}-${process.versions.v8}-${process.arch}`,
  );
  const cachedData = readCache(cacheFile);
  const script = new Script(source, {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  // At the end, when nobody waits, and when all it takes to start is compiled.
  if (!cachedData || script.cachedDataRejected) process.once("exit", () => writeCache(cacheFile, script));
  return module.exports;
}

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all; an installation that cannot be written to goes without. */
function writeCache(file, script) {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, script.createCachedData());
    renameSync(fresh, file);
  } catch {
    // The next start takes longer, that is all.
  }
}
