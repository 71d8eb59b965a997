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
    reporters: ["default", "./scripts/count-reporter.mjs"],
  },
});
