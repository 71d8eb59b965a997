// Webhooks of a kind: defaulting and validation in one file, conversion in another.
import type { ResourceDescriptor } from "@kubewright/api";
import { UsageError } from "../command.js";
import { type Existing, FilePlan } from "./file-plan.js";
import { importPath, type KindFiles, kindFiles, withArticle } from "./kind-files.js";
import { type KindOptions, requestedKind } from "./kind-request.js";
import { MainEditor } from "./main-editor.js";
import {
  type FoundProject,
  formatProject,
  fullGroup,
  type Project,
  type ProjectResource,
} from "./project-file.js";
import type { Scaffolded } from "./scaffolded.js";
import { addImport, addMember, addProperty, hasProperty } from "./source-edit.js";
import { render } from "./template.js";

/** What `create webhook` can be told. */
export interface CreateWebhookOptions extends KindOptions {
  readonly defaulting?: boolean | undefined;
  readonly validation?: boolean | undefined;
  readonly conversion?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** Plans and writes webhooks for a kind of the project, or a built-in one. */
export async function createWebhook(found: FoundProject, options: CreateWebhookOptions): Promise<Scaffolded> {
  const { project } = found;
  const { defaulting = false, validation = false, conversion = false } = options;
  if (!defaulting && !validation && !conversion)
    throw new UsageError("say which: --defaulting, --validation, --conversion, or several of them");
  const { kind, builtin, recorded } = await requestedKind(project, options, false);
  if (!builtin && !recorded) throw unknownKind(project, kind);
  if (builtin && conversion)
    throw new UsageError(`--conversion: versions of ${kind.kind} are converted by Kubernetes itself`);
  const plan = new FilePlan(found.directory);
  const webhooks = new WebhookPlan(plan, project, options, kind, builtin);
  if (defaulting || validation) webhooks.addAdmission();
  if (conversion) webhooks.addConversion();
  webhooks.record(recorded);
  return { changes: plan.write(), manual: webhooks.manual };
}

function unknownKind(project: Project, kind: ProjectResource): UsageError {
  const known = project.resources.map((each) => `${each.kind} ${fullGroup(each)}/${each.version}`).join(", ");
  return new UsageError(
    `PROJECT has no ${kind.kind} of ${fullGroup(kind)}/${kind.version}${known ? ` (it has ${known})` : ""}; make it with kubewright create api`,
  );
}

class WebhookPlan {
  readonly #plan: FilePlan;
  readonly #project: Project;
  readonly #options: CreateWebhookOptions;
  readonly #kind: ProjectResource;
  readonly #builtin: ResourceDescriptor | undefined;
  readonly #files: KindFiles;
  readonly #versions: readonly ProjectResource[];
  readonly #main: MainEditor;

  constructor(
    plan: FilePlan,
    project: Project,
    options: CreateWebhookOptions,
    kind: ProjectResource,
    builtin: ResourceDescriptor | undefined,
  ) {
    this.#plan = plan;
    this.#project = project;
    this.#options = options;
    this.#builtin = builtin;
    this.#versions = project.resources.filter(
      (other) => fullGroup(other) === fullGroup(kind) && other.kind === kind.kind,
    );
    // Webhooks are asked about the version that the kind is defined in; others are converted to it first.
    this.#kind = this.#versions[0] ?? kind;
    this.#files = kindFiles(project, this.#kind);
    this.#main = new MainEditor(plan);
  }

  get manual(): readonly string[] {
    return this.#main.manual;
  }

  addAdmission(): void {
    const { webhook, webhookName } = this.#files;
    const now = this.#options.force ? undefined : this.#plan.read(webhook);
    if (now === undefined) this.#addAdmissionFiles();
    else this.#addHandlers(now);
    this.#main.add("webhooks", webhookName, webhook);
  }

  #addAdmissionFiles(): void {
    const { webhook } = this.#files;
    const handlers = this.#handlers().map(({ text }) => `${text},`);
    const values = { ...this.#values(), handlers: handlers.join("\n") };
    this.#plan.add(webhook, render("webhook/webhook.ts", values), this.#existing());
    const tests = this.#isAsScaffolded()
      ? this.#handlers().map(({ test }) => render(`webhook/${test}.test.ts`, values))
      : [];
    const content = [render("webhook/webhook.test.ts", values), ...tests].join("");
    this.#plan.add(webhook.replace(/\.ts$/, ".test.ts"), content, this.#existing());
  }

  /** A webhook that is there gets the handlers it lacks. */
  #addHandlers(now: string): void {
    const { webhook } = this.#files;
    let source = now;
    for (const { name, text, imports } of this.#handlers()) {
      if (hasProperty(source, "defineWebhook", name)) continue;
      const edited = addMember(source, "defineWebhook", text.trim());
      if (edited === undefined) this.#main.byHand(`in ${webhook}, add ${name}() to defineWebhook`);
      else source = imports ? addImport(edited, imports, "@kubewright/api") : edited;
    }
    this.#plan.edit(webhook, source);
  }

  #handlers() {
    const { defaulting, validation } = this.#options;
    const values = this.#values();
    const handler = (name: string, test: string, imports?: string) => ({
      name,
      test,
      imports,
      text: render(`webhook/${test}.ts`, values).replace(/\n$/, ""),
    });
    return [
      ...(defaulting ? [handler("default", "defaulting")] : []),
      ...(validation ? [handler("validate", "validation", "fieldError")] : []),
    ];
  }

  /** Tests can make objects of a kind whose fields are those of the scaffold. */
  #isAsScaffolded(): boolean {
    const source = this.#builtin ? undefined : this.#plan.read(this.#files.resource);
    return source?.includes('message: z.string().min(1).default("Hello")') ?? false;
  }

  addConversion(): void {
    const [hub, ...others] = this.#versions;
    if (!hub || others.length === 0)
      throw new UsageError(
        `--conversion: ${this.#kind.kind} has only version ${this.#kind.version}; add another with kubewright create api first`,
      );
    const { conversion, conversionName, resource } = this.#files;
    const spokes = others.map(({ version }) => render("webhook/spoke.ts", { version })).join("");
    const values = { ...this.#values(), spokes: spokes.replace(/\n$/, ""), hubVersion: hub.version };
    this.#plan.add(conversion, render("webhook/conversion.ts", values), this.#existing());
    if (this.#isAsScaffolded())
      this.#plan.add(
        conversion.replace(/\.ts$/, ".test.ts"),
        render("webhook/conversion.test.ts", values),
        this.#existing(),
      );
    const source = this.#plan.read(resource);
    const edited = source && addProperty(source, "defineResource", "conversion", '"webhook"');
    if (edited) this.#plan.edit(resource, edited);
    else this.#main.byHand(`in ${resource}, add conversion: "webhook" to defineResource`);
    this.#main.add("webhooks", conversionName, conversion);
  }

  record(recorded: ProjectResource | undefined): void {
    const { defaulting, validation, conversion } = this.#options;
    const before = recorded?.webhooks ?? {};
    const webhooks = {
      ...((defaulting || before.defaulting) && { defaulting: true }),
      ...((validation || before.validation) && { validation: true }),
      ...((conversion || before.conversion) && { conversion: true }),
    };
    const now = { ...(recorded ?? this.#kind), webhooks };
    const others = this.#project.resources;
    const resources = recorded ? others.map((each) => (each === recorded ? now : each)) : [...others, now];
    this.#plan.edit("PROJECT", formatProject({ ...this.#project, resources }));
  }

  #existing(): Existing {
    if (this.#options.force) return "replace";
    return this.#versions.some(({ webhooks }) => webhooks) ? "keep" : "refuse";
  }

  #values(): Readonly<Record<string, string>> {
    const { kind, api } = this.#kind;
    const { webhook, webhookName, conversion, conversionName, variable, resource } = this.#files;
    const builtin = this.#builtin !== undefined;
    const fromApi = [...(builtin ? [kind] : []), ...(this.#options.validation ? ["fieldError"] : [])];
    return {
      kind,
      variable,
      projectName: this.#project.projectName,
      aKind: withArticle(kind),
      apiImport: fromApi.length > 0 ? `import { ${fromApi.join(", ")} } from "@kubewright/api";` : "",
      builtinImport: builtin ? `import { ${kind} } from "@kubewright/api";` : "",
      resourceImport: importPath(webhook, resource),
      resourceImportLine: builtin ? "" : `import { ${kind} } from "${importPath(webhook, resource)}";`,
      testResources: builtin ? "" : `resources: [${kind}], `,
      webhook: webhookName,
      webhookFile: fileName(webhook),
      conversion: conversionName,
      conversionFile: fileName(conversion),
      q: builtin ? "?" : "",
      orEmpty: builtin ? " ?? {}" : "",
      namespaceField: api?.namespaced === false ? "" : ', namespace: "default"',
    };
  }
}

const fileName = (path: string): string => path.split("/").at(-1)?.replace(/\.ts$/, "") ?? path;
