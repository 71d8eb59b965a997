// Alerts and dashboard name metrics, and labels of them, that a running manager exports; cert-manager's certificate is an option.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { customKindsOf, MetricsRegistry, requestMetrics, startManager } from "@kubewright/runtime";
import { afterAll, expect, test, vi } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import modelbox from "../../operators/modelbox/src/main.js";
import { planManifests } from "../../packages/cli/src/manifests/generate.js";
import { sampleObject } from "../../packages/cli/src/manifests/sample.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { renderTemplate } from "./chart-rendering.js";

const root = mkdtempSync(join(tmpdir(), "kubewright-monitoring-"));
afterAll(() => rmSync(root, { recursive: true }));

function filesFor(kubewright: object): ReadonlyMap<string, string> {
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "modelbox", kubewright }));
  return planManifests(root, modelbox, { helm: true, olm: true }).write;
}
const documents = (text = "") => parseAllDocuments(text).map((document) => document.toJS());
const kindsIn = (text = ""): readonly string[] => documents(text).map(({ kind }) => kind);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** Where expressions are, by the name of the alert or the panel. */
function expressions(): readonly (readonly [string, string])[] {
  const files = filesFor({ grafana: true });
  const [rule] = documents(files.get("config/prometheus/alerts.yaml"));
  const rules: readonly Rule[] = rule.spec.groups[0].rules;
  const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
    files.get("config/grafana/dashboard.json") ?? "",
  );
  return [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
}

/** The labels of each family of a running manager, with those of histograms under the names of their parts. */
async function exported(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  await using cluster = await startCluster({ nodes: 0, controllers: "none" });
  const { client } = cluster;
  await installKinds(client, customKindsOf(modelbox));
  const definition = { ...modelbox, leaderElection: true };
  const webhooks = { mode: "url", port: 0 } as const;
  await using manager = await startManager(definition, { client, namespace: "default", webhooks });
  const [kind] = customKindsOf(modelbox);
  const metadata = { name: "one", namespace: "default" };
  await client.create(kind!, { ...sampleObject(kind!), metadata } as never);
  await vi.waitFor(
    () => expect(manager.metrics.format()).toContain("controller_runtime_reconcile_total{"),
    10_000,
  );
  const requests = new MetricsRegistry();
  requestMetrics(requests)({ verb: "list", method: "GET", host: "h", code: "200", duration: 1 });
  const text = [manager.metrics.format(), requests.format()].join("\n");
  const found = new Map<string, Set<string>>();
  for (const [, family = ""] of text.matchAll(/^# TYPE (\S+) /gm)) found.set(family, new Set());
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const set = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) set.add(label);
    found.set(name, set);
  }
  return found;
}

/** What Prometheus adds to every sample that it scrapes through a ServiceMonitor. */
const scraped = ["job", "pod", "namespace", "instance", "le"];

test("every metric and label of the alerts and of the dashboard is one that a running manager exports", async () => {
  const families = await exported();
  const used = expressions().flatMap(([place, expr]) =>
    [...expr.matchAll(/([a-z_]+)\{([^}]*)\}/g)].map(([, name = "", selector = ""]) => ({
      place,
      name,
      labels: [
        ...[...selector.matchAll(/(\w+)=/g)].map(([, label = ""]) => label),
        ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/)),
      ].filter((label) => !scraped.includes(label)),
    })),
  );
  expect(used.length).toBeGreaterThan(25);
  const unknown = used.filter(({ name }) => !families.has(name));
  expect(unknown).toEqual([]);
  const strange = used.flatMap(({ place, name, labels }) =>
    labels
      .filter((label) => (families.get(name)?.size ?? 0) > 0 && !families.get(name)?.has(label))
      .map((label) => `${place}: ${name} has no label ${label}`),
  );
  expect(strange).toEqual([]);
  // A family that never had a value has no labels to compare with; only these may be without one here.
  const silent = [
    ...new Set(used.filter(({ name, labels }) => labels.length > 0 && !families.get(name)?.size)),
  ];
  expect(new Set(silent.map(({ name }) => name))).toEqual(new Set(silentHere));
});

const silentHere: readonly string[] = [];

test("expressions are closed, and every alert says what to do", () => {
  for (const [place, expr] of expressions())
    for (const [open, close] of ["()", "{}", "[]"])
      expect(expr.split(open!).length, `${place}: ${expr}`).toBe(expr.split(close!).length);
  const [rule] = documents(filesFor({}).get("config/prometheus/alerts.yaml"));
  for (const { alert, annotations, labels } of rule.spec.groups[0].rules as Rule[]) {
    expect(alert).toMatch(/^Modelbox[A-Z]/);
    expect(annotations.description).not.toBe("");
    expect(["warning", "critical"]).toContain(labels.severity);
  }
});

test("monitoring is taken in where it is asked for", () => {
  const off = filesFor({});
  expect(kindsIn(off.get("dist/install.yaml"))).not.toContain("PrometheusRule");
  expect([...off.keys()].filter((path) => path.includes("grafana"))).toEqual([]);
  const on = filesFor({ prometheus: true, grafana: true });
  expect(kindsIn(on.get("dist/install.yaml"))).toEqual(
    expect.arrayContaining(["ServiceMonitor", "PrometheusRule", "ConfigMap"]),
  );
  const [dashboard] = documents(on.get("config/grafana/dashboard.yaml"));
  expect(dashboard.metadata.labels).toMatchObject({ grafana_dashboard: "1" });
  const { generated, ...file } = JSON.parse(on.get("config/grafana/dashboard.json") ?? "");
  expect(generated).toContain("Generated by kubewright manifests");
  expect(JSON.parse(dashboard.data["dashboard.json"])).toEqual(file);
  const values = parse(on.get("dist/chart/values.yaml") ?? "");
  const charted = renderTemplate(on.get("dist/chart/templates/prometheus/monitoring.yaml") ?? "", {
    values,
    namespace: "modelbox-system",
  });
  expect(kindsIn(charted)).toEqual(["ServiceMonitor", "PrometheusRule"]);
  expect(documents(charted)[1]).toEqual(documents(on.get("config/prometheus/alerts.yaml"))[0]);
});

test("cert-manager makes the certificate where it is asked to, and OLM does not need it", () => {
  expect([...filesFor({}).keys()].filter((path) => path.includes("certmanager"))).toEqual([]);
  const files = filesFor({ certManager: true });
  const [issuer, certificate] = documents(files.get("config/certmanager/certificate.yaml"));
  expect(certificate.spec).toEqual({
    dnsNames: [
      "modelbox-webhook-service.modelbox-system.svc",
      "modelbox-webhook-service.modelbox-system.svc.cluster.local",
    ],
    issuerRef: { kind: "Issuer", name: issuer.metadata.name },
    secretName: "modelbox-webhook-server-cert",
  });
  const values = parse(files.get("dist/chart/values.yaml") ?? "");
  const chart = renderTemplate(files.get("dist/chart/templates/manager/manager.yaml") ?? "", {
    values: { ...values, volumes: [{ name: "tmp", emptyDir: {} }] },
    namespace: "modelbox-system",
  });
  const installed = documents(files.get("dist/install.yaml"));
  expect(kindsIn(files.get("dist/install.yaml"))).toEqual(expect.arrayContaining(["Issuer", "Certificate"]));
  for (const manager of [documents(chart)[0], installed.find(({ kind }) => kind === "Deployment")]) {
    const { volumes, containers } = manager.spec.template.spec;
    expect(volumes[0]).toEqual({
      name: "webhook-certs",
      secret: { secretName: "modelbox-webhook-server-cert" },
    });
    expect(containers[0].volumeMounts[0]).toMatchObject({ name: "webhook-certs", readOnly: true });
    expect(containers[0].args).toContain(`--webhook-cert-path=${containers[0].volumeMounts[0].mountPath}`);
  }
  expect(documents(chart)[0].spec.template.spec.volumes).toHaveLength(2);
  expect(files.get("bundle/manifests/modelbox.clusterserviceversion.yaml")).not.toContain("webhook-certs");
});
