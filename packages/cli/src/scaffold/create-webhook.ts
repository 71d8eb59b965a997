// Webhooks of a kind: defaulting and validation in one file, conversion in another.
import { UsageError } from "../command.js";
import { type Existing, FilePlan } from "./file-plan.js";
import { fileName, KindPlan, type TemplateValues, testOf } from "./kind-plan.js";
import { type KindOptions, type RequestedKind, requestedKind } from "./kind-request.js";
import { type FoundProject, fullGroup, type Project, type ProjectResource } from "./project-file.js";
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
  const plan = new FilePlan(found.directory);
  const manual = await planWebhook(plan, found.project, options);
  return { changes: plan.write(), manual };
}

/** The same as part of a larger plan. Returns what the user must do by hand. */
export async function planWebhook(
  plan: FilePlan,
  project: Project,
  options: CreateWebhookOptions,
): Promise<readonly string[]> {
  const { defaulting = false, validation = false, conversion = false } = options;
  if (!defaulting && !validation && !conversion)
    throw new UsageError("choose at least one of --defaulting, --validation and --conversion");
  const requested = await requestedKind(project, options, false);
  const { kind, builtin, recorded } = requested;
  if (!builtin && !recorded) throw unknownKind(project, kind);
  if (builtin && conversion)
    throw new UsageError(`--conversion: versions of ${kind.kind} are converted by Kubernetes itself`);
  if (recorded?.external && conversion)
    throw new UsageError(
      `--conversion: versions of ${kind.kind} are converted by the project that defines them`,
    );
  const webhooks = new WebhookPlan(plan, project, options, requested);
  if (defaulting || validation) webhooks.addAdmission();
  if (conversion) webhooks.addConversion();
  webhooks.record();
  return webhooks.manual;
}

function unknownKind(project: Project, kind: ProjectResource): UsageError {
  const known = project.resources.map((each) => `${each.kind} ${fullGroup(each)}/${each.version}`).join(", ");
  return new UsageError(
    `PROJECT has no ${kind.kind} of ${fullGroup(kind)}/${kind.version}${known ? ` (it has ${known})` : ""}; create it with kubewright create api`,
  );
}

class WebhookPlan {
  readonly #plan: FilePlan;
  readonly #options: CreateWebhookOptions;
  /** The kind that was asked for. */
  readonly #asked: KindPlan;
  /** Webhooks are asked about the version that the kind is defined in; others are converted to it first. */
  readonly #hub: KindPlan;

  constructor(plan: FilePlan, project: Project, options: CreateWebhookOptions, requested: RequestedKind) {
    this.#plan = plan;
    this.#options = options;
    this.#asked = new KindPlan(plan, project, requested);
    const [first] = this.#asked.versions;
    this.#hub = first ? new KindPlan(plan, project, { ...requested, kind: first }) : this.#asked;
  }

  get manual(): readonly string[] {
    return this.#hub.manual;
  }

  addAdmission(): void {
    const { webhook, webhookName } = this.#hub.files;
    const now = this.#options.force ? undefined : this.#plan.read(webhook);
    if (now === undefined) this.#addAdmissionFiles();
    else this.#addHandlers(now);
    this.#hub.main.add("webhooks", webhookName, webhook);
  }

  #addAdmissionFiles(): void {
    const { webhook } = this.#hub.files;
    const handlers = this.#handlers().map(({ text }) => `${text},`);
    const values = { ...this.#values(), handlers: handlers.join("\n") };
    this.#hub.add(webhook, "webhook/webhook.ts", values, this.#existing);
    const tests = this.#isAsScaffolded()
      ? this.#handlers().map(({ test }) => render(`webhook/${test}.test.ts`, values))
      : [];
    const content = [render("webhook/webhook.test.ts", values), ...tests].join("");
    this.#plan.add(testOf(webhook), content, this.#existing);
  }

  /** A webhook that is there gets the handlers it lacks. */
  #addHandlers(now: string): void {
    const { webhook } = this.#hub.files;
    let source = now;
    for (const { name, text, imports } of this.#handlers()) {
      if (hasProperty(source, "defineWebhook", name)) continue;
      const edited = addMember(source, "defineWebhook", text.trim());
      if (edited === undefined) this.#hub.main.byHand(`in ${webhook}, add ${name}() to defineWebhook`);
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
    const source = this.#hub.builtin ? undefined : this.#plan.read(this.#hub.files.resource);
    return source?.includes('message: z.string().min(1).default("Hello")') ?? false;
  }

  addConversion(): void {
    const { kind, versions, main } = this.#hub;
    const [hub, ...others] = versions;
    if (!hub || others.length === 0)
      throw new UsageError(
        `--conversion: ${kind.kind} has only version ${kind.version}; add another with kubewright create api first`,
      );
    const { conversion, conversionName, resource } = this.#hub.files;
    const spokes = others.map(({ version }) => render("webhook/spoke.ts", { version })).join("");
    const values = { ...this.#values(), spokes: spokes.replace(/\n$/, ""), hubVersion: hub.version };
    this.#hub.add(conversion, "webhook/conversion.ts", values, this.#existing);
    this.#hub.add(testOf(conversion), "webhook/conversion.test.ts", values, this.#existing);
    const source = this.#plan.read(resource);
    const edited = source && addProperty(source, "defineResource", "conversion", '"webhook"');
    if (edited) this.#plan.edit(resource, edited);
    else main.byHand(`in ${resource}, add conversion: "webhook" to defineResource`);
    main.add("webhooks", conversionName, conversion);
  }

  record(): void {
    const { defaulting, validation, conversion } = this.#options;
    this.#asked.record((before) => ({
      ...before,
      webhooks: {
        ...((defaulting || before.webhooks?.defaulting) && { defaulting: true }),
        ...((validation || before.webhooks?.validation) && { validation: true }),
        ...((conversion || before.webhooks?.conversion) && { conversion: true }),
      },
    }));
  }

  get #existing(): Existing {
    if (this.#options.force) return "replace";
    return this.#hub.versions.some(({ webhooks }) => webhooks) ? "keep" : "refuse";
  }

  #values(): TemplateValues {
    const { kind, files, builtin } = this.#hub;
    const fromApi = [...(builtin ? [kind.kind] : []), ...(this.#options.validation ? ["fieldError"] : [])];
    return {
      ...this.#hub.values(files.webhook),
      apiImport: fromApi.length > 0 ? `import { ${fromApi.join(", ")} } from "@kubewright/api";` : "",
      webhook: files.webhookName,
      webhookFile: fileName(files.webhook),
      conversion: files.conversionName,
      conversionFile: fileName(files.conversion),
      q: builtin ? "?" : "",
      orEmpty: builtin ? " ?? {}" : "",
      namespaceField: kind.api?.namespaced === false ? "" : ', namespace: "default"',
    };
  }
}
