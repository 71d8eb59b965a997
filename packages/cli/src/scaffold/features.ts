// What a project may have beyond what every project has: files, and settings in package.json.
import { UsageError } from "../command.js";
import { nearest } from "../nearest.js";
import type { Existing, FilePlan } from "./file-plan.js";
import { render, templatesUnder } from "./template.js";

interface Feature {
  readonly summary: string;
  /** Merged into package.json. */
  readonly manifest?: { readonly scripts?: object; readonly kubewright?: object } | undefined;
}

/** By the name that `--with` takes; files of a feature are templates under `with/NAME`. */
export const features = {
  devcontainer: { summary: "a container to develop in" },
  e2e: {
    summary: "a test on kind or any other cluster, and its workflow",
    manifest: { scripts: { "test:e2e": "vitest run --config vitest.e2e.config.ts" } },
  },
  release: { summary: "a workflow that pushes the image and releases install.yaml" },
  monitoring: {
    summary: "ServiceMonitor, alerts and a dashboard",
    manifest: { kubewright: { prometheus: true, grafana: true } },
  },
  "cert-manager": {
    summary: "certificates of webhooks by cert-manager",
    manifest: { kubewright: { certManager: true } },
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureName = keyof typeof features;

/** For --help. */
export const featuresText = Object.keys(features).join(", ");

/** `ci,e2e` as names. Throws a UsageError for one that there is not. */
export function featureNames(text: string | undefined): readonly FeatureName[] {
  const words = (text ?? "").split(",").map((word) => word.trim());
  return words.filter(Boolean).map((word) => {
    if (isFeature(word)) return word;
    const guess = nearest(word, Object.keys(features));
    throw new UsageError(`--with ${word}: ${guess ? `did you mean ${guess}?` : `there are ${featuresText}`}`);
  });
}

const isFeature = (word: string): word is FeatureName => Object.hasOwn(features, word);

/** Plans the files and settings of features. */
export function planFeatures(
  plan: FilePlan,
  names: readonly FeatureName[],
  { projectName, existing }: { readonly projectName: string; readonly existing: Existing },
): void {
  for (const name of names) {
    for (const path of templatesUnder(`with/${name}`))
      plan.add(
        path,
        render(`with/${name}/${path}`, { projectName }),
        existing,
        path.endsWith(".sh") ? 0o755 : undefined,
      );
    const { manifest }: Feature = features[name];
    if (manifest) plan.edit("package.json", merged(plan.read("package.json") ?? "{}", manifest));
  }
}

/** What features say about manifests. */
export function featureSettings(names: readonly FeatureName[]): object {
  return Object.assign({}, ...names.map((name) => (features[name] as Feature).manifest?.kubewright ?? {}));
}

/** What is said already stays. */
function merged(text: string, { scripts = {}, kubewright = {} }: NonNullable<Feature["manifest"]>): string {
  const before = JSON.parse(text) as { readonly scripts?: object; readonly kubewright?: object };
  const now = {
    ...before,
    ...(Object.keys(scripts).length > 0 ? { scripts: { ...before.scripts, ...scripts } } : {}),
    ...(Object.keys(kubewright).length > 0 ? { kubewright: { ...kubewright, ...before.kubewright } } : {}),
  };
  return `${JSON.stringify(now, undefined, 2)}\n`;
}
