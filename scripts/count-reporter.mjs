// The end of a test run, in plain words: what failed, by name, and how many were run and skipped. Where KUBEWRIGHT_FAILED names a
// file, the test files that failed are written there, a line each.
import { writeFileSync } from "node:fs";

export default class CountReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures = [];
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state]++;
        if (state === "failed") failures.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      const errors = [
        ...module.errors(),
        ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
      ];
      counts.failed += errors.length;
      for (const { message } of errors) failures.push(`${module.relativeModuleId}: ${message}`);
    }
    const { KUBEWRIGHT_FAILED: path } = process.env;
    const files = modules
      .filter((module) => module.state() === "failed")
      .map((module) => module.relativeModuleId);
    if (path) writeFileSync(path, files.join("\n"));
    // After the default reporter has closed its summary.
    process.on("exit", () => {
      for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
      process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
