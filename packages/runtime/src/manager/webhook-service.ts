// The webhooks of a running manager: certificates, server, configurations, started in that order so that the API server never calls
// a server that does not listen, and closed in the reverse one.
import { MutatingWebhookConfiguration, sleep, ValidatingWebhookConfiguration } from "@kubewright/api";
import type { AnyResource } from "../controller/kinds.js";
import { CachedClient } from "../informer/cached-client.js";
import type { ManagerService } from "../serving/manager-service.js";
import type { CertificateSource, ServedCertificate } from "../webhook/certificates/certificate-source.js";
import { certificateSource } from "../webhook/certificates/certificate-source-of.js";
import { ConfigurationHolder } from "../webhook/configuration-holder.js";
import { ConfigurationKeeper } from "../webhook/configuration-keeper.js";
import { appliedConfiguration, injectedConfiguration } from "../webhook/kept-configuration.js";
import { convertedKind } from "../webhook/kept-conversion.js";
import type { KeptObject } from "../webhook/kept-object.js";
import { ProbeRoute, unreachableBecause } from "../webhook/reach-probe.js";
import { type ClientConfigOf, webhookConfigurations } from "../webhook/webhook-configurations.js";
import { WebhookHandler } from "../webhook/webhook-handler.js";
import { WebhookListener } from "../webhook/webhook-listener.js";
import { holderLease, webhookObjectNames } from "../webhook/webhook-names.js";
import { WebhookPlace } from "../webhook/webhook-place.js";
import { defaultServing, type LocalServing, type WebhookServing } from "../webhook/webhook-serving.js";
import { conversionsOf, webhooksOf } from "../webhook/webhooks-of.js";
import type { ManagerDefinition } from "./define-manager.js";
import type { ManagerEnvironment } from "./environment.js";
import type { StartOptions } from "./start-options.js";

/** The webhooks of a manager as a service of it; undefined when it has none, or they are switched off. */
export function webhookService(
  definition: ManagerDefinition,
  options: StartOptions,
  environment: ManagerEnvironment,
): WebhookService | undefined {
  if (options.webhooks === false || !definition.webhooks?.length) return undefined;
  return new WebhookService(definition, options, environment);
}

export class WebhookService implements ManagerService {
  readonly name = "webhooks";
  readonly #definition: ManagerDefinition;
  readonly #options: StartOptions;
  readonly #environment: ManagerEnvironment;
  readonly #serving: WebhookServing;
  readonly #place: WebhookPlace;
  readonly #handler: WebhookHandler;
  /** Closes what has been started, in the order it was started. */
  readonly #ends: (() => unknown)[] = [];
  #served: ServedCertificate | undefined;
  #listener: WebhookListener | undefined;
  /** For webhooks that are reached by URL: they are not the same for every process. */
  #holder: ConfigurationHolder | undefined;
  readonly #probe = new ProbeRoute();
  #ownKeeper: ConfigurationKeeper | undefined;

  constructor(definition: ManagerDefinition, options: StartOptions, environment: ManagerEnvironment) {
    this.#definition = definition;
    this.#options = options;
    this.#environment = environment;
    this.#serving = options.webhooks || defaultServing;
    this.#place = new WebhookPlace(definition.name, this.#serving, options.namespace);
    const { clock, log, pool } = environment;
    this.#handler = new WebhookHandler(definition, {
      clock,
      log,
      client: new CachedClient(options.client, pool),
      // Handlers write their own log lines, with the request they are about.
      onError: (where, error) => options.onError?.(where, error),
      observer: environment.observation.metrics.webhooks,
      probe: this.#serving.mode === "url" ? this.#probe : undefined,
    });
    if (this.#serving.mode === "url") this.#holder = this.#createHolder();
  }

  /** True when the manager is of use without it: on a developer's machine. */
  get isOptional(): boolean {
    return this.#serving.mode === "url";
  }

  /** The address of its server, as seen from this machine: `https://127.0.0.1:9443`; undefined while there is none. */
  get address(): string | undefined {
    return this.#listener?.url;
  }

  async start(): Promise<void> {
    this.#fillCaches();
    const serving = this.#serving;
    if (serving.mode === "local") this.#ends.push(serving.connect(this.#place.service, this.#handler.call));
    else await this.#serve(serving);
    if (serving.mode === "url") await this.#demandReach();
    else await this.#keepAlways();
    if (this.#holder && !this.#environment.leaseName) await this.#holdUntilClosed(this.#holder);
  }

  /** Lets the leader write configurations until the signal ends it; resolves when that is over. */
  async lead(signal: AbortSignal): Promise<void> {
    await this.#holder?.begin(signal).ended;
  }

  /** Resolves when the endpoints of the Service have had the time to drop this process; it answers until it is closed. */
  async drain(): Promise<void> {
    const drain = this.#serving.mode === "service" ? (this.#serving.drain ?? 0) : 0;
    if (drain === 0 || !this.#listener) return;
    const { clock, log } = this.#environment;
    log.info("draining webhooks", { seconds: drain / 1_000 });
    this.#listener.drain();
    await sleep(clock, drain);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  get #keeper(): ConfigurationKeeper | undefined {
    return this.#ownKeeper ?? this.#holder?.keeper;
  }

  /** Webhooks that the API server cannot call would refuse everything: they are left out, and that is logged. */
  async #demandReach(): Promise<void> {
    const { clock, log, newId } = this.#environment;
    const { client } = this.#options;
    const clientConfig = this.#clientConfig();
    const reason = await unreachableBecause({ client, clock, clientConfig, route: this.#probe, id: newId() });
    if (reason === undefined) return;
    this.#holder = undefined;
    log.warn("running without webhooks: the API server cannot reach them", {
      url: this.#place.url(this.#listener?.port ?? 0),
      reason,
      remedy: "advertise an address that it can reach (--webhook-host), or deploy the operator",
    });
  }

  /** All replicas write the same, so that each may. */
  async #keepAlways(): Promise<void> {
    const keeper = this.#createKeeper();
    this.#ownKeeper = keeper;
    this.#ends.push(() => keeper.close({ release: true }));
    await keeper.start();
  }

  async #holdUntilClosed(holder: ConfigurationHolder): Promise<void> {
    const stop = new AbortController();
    const { settled, ended } = holder.begin(stop.signal);
    this.#ends.push(() => {
      stop.abort();
      return ended;
    });
    await settled;
  }

  #createHolder(): ConfigurationHolder {
    const { log } = this.#environment;
    return new ConfigurationHolder({
      createElector: (onHeld) =>
        this.#environment.electorFor({ ...holderLease(this.#definition.name), onHeld }),
      createKeeper: () => this.#createKeeper(),
      onHeld: (holder) =>
        log.warn("another manager serves these webhooks; this one takes over when it stops", {
          holder,
          remedy: "stop the other, or start without webhooks (ENABLE_WEBHOOKS=false)",
        }),
    });
  }

  #fillCaches(): void {
    const { namespaces, ...definition } = this.#definition;
    for (const kind of webhooksOf(definition).flatMap(({ watches }) => watches)) {
      const lease = this.#environment.pool.acquire(kind, { namespaces });
      this.#ends.push(() => lease.release());
    }
  }

  async #serve(serving: Exclude<WebhookServing, LocalServing>): Promise<void> {
    const isUrl = serving.mode === "url";
    const listener = new WebhookListener({
      handler: this.#handler,
      host: serving.host ?? (isUrl ? "127.0.0.1" : undefined),
      port: serving.port ?? 9443,
      onError: (error) => this.#environment.report("webhook server", error),
    });
    const certificates = this.#createSource(serving);
    this.#ends.push(() => certificates.close());
    await certificates.start((served) => {
      this.#served = served;
      listener.renew(served);
      this.#keeper?.refresh();
    });
    if (!this.#served) throw new Error("there is no certificate for the webhook server");
    this.#listener = listener;
    this.#ends.push(() => listener.close());
    await listener.listen(this.#served);
    this.#environment.log.info("serving webhooks", { port: listener.port, paths: this.#handler.paths });
  }

  #createSource({ mode, certificates }: Exclude<WebhookServing, LocalServing>): CertificateSource {
    const { clock, log, observation } = this.#environment;
    return certificateSource(certificates ?? { from: mode === "url" ? "memory" : "secret" }, {
      client: this.#options.client,
      clock,
      log,
      random: this.#options.random,
      observer: observation.metrics.certificates,
      hosts: this.#place.hosts,
      secret: this.#place.secret,
      isTrusted: () => this.#keeper?.isSettled ?? false,
      onError: (error) => this.#environment.report("webhook certificates", error),
    });
  }

  #createKeeper(): ConfigurationKeeper {
    const { clock, log } = this.#environment;
    return new ConfigurationKeeper({
      client: this.#options.client,
      clock,
      random: this.#options.random,
      objects: this.#keptObjects(),
      fieldManager: this.#definition.name,
      givesWay: this.#serving.mode === "url",
      onWrite: ({ resource, name }) =>
        log.info("webhook configuration written", { kind: resource.kind, object: name }),
      onError: (what, error) => this.#environment.report(`webhook configuration ${what}`, error),
    });
  }

  #keptObjects(): readonly KeptObject[] {
    const serving = this.#serving;
    const isTemporary = serving.mode !== "service";
    const isWhole = isTemporary || serving.configurations === "apply";
    const names = webhookObjectNames(this.#definition.name);
    const wanted = () => webhookConfigurations(this.#definition, { clientConfig: this.#clientConfig() });
    const keep = (of: "mutating" | "validating", resource: AnyResource): readonly KeptObject[] => {
      const configuration = () => wanted()[of];
      if (!configuration()) return [];
      return isWhole
        ? [
            appliedConfiguration(resource, configuration, {
              fieldManager: this.#definition.name,
              isTemporary,
            }),
          ]
        : [injectedConfiguration(resource, names[of], configuration)];
    };
    return [
      ...conversionsOf(this.#definition).map((conversion) =>
        convertedKind(conversion, () => this.#clientConfig(), isWhole ? "whole" : "bundle"),
      ),
      ...keep("mutating", MutatingWebhookConfiguration),
      ...keep("validating", ValidatingWebhookConfiguration),
    ];
  }

  #clientConfig(): ClientConfigOf {
    return this.#place.clientConfig(this.#listener?.port ?? 0, this.#served?.caBundle);
  }
}
