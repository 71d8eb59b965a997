import { defineConfig } from "vitest/config";

// Tests run against the sources of every package, so nothing has to be built first.
const conditions = ["kubewright-source", "node", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "operators/*/src/**/*.test.ts",
      "test/**/*.test.ts",
      "examples/**/*.test.ts",
    ],
    testTimeout: 15_000,
    // Projects that tests load are bundled already; Node loads them as they are.
    server: { deps: { external: [/\/\.kubewright\/main-/] } },
    // Nothing here keeps state in modules, so files may share them: loading them anew for each cost most of the time.
    isolate: false,
    maxWorkers: "100%",
    reporters: ["default", "./scripts/count-reporter.mjs"],
  },
});
