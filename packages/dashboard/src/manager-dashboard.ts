// The dashboard that a manager serves by itself, in a cluster or anywhere: people sign in with a token of the API server.
import { isObject } from "@kubewright/api";
import type { CreateDashboard, DashboardContext, DashboardService, ShownManager } from "@kubewright/runtime";
import type { KindFilter } from "./objects/object-feed.js";
import { type SignInDashboard, serveSignInDashboard } from "./serve-dashboard.js";

/**
 * Gives a manager a dashboard, which it serves when its process is started with `--dashboard-bind-address`.
 *
 * @example
 * export default defineManager({ name: "shop", controllers: [orders], dashboard });
 */
export const dashboard: CreateDashboard = (context) => new ManagerDashboard(context);

/** The same with the page of a folder. */
export const dashboardFrom =
  (page: string): CreateDashboard =>
  (context) =>
    new ManagerDashboard(context, page);

class ManagerDashboard implements DashboardService {
  readonly name = "dashboard";
  readonly #context: DashboardContext;
  readonly #page: string | undefined;
  #served: SignInDashboard | undefined;

  constructor(context: DashboardContext, page?: string) {
    this.#context = context;
    this.#page = page;
  }

  get url(): string | undefined {
    return this.#served?.url;
  }

  async start(): Promise<void> {
    const { definition, manager, connect, server, host, port, clock } = this.#context;
    const certificate = await this.#context.certificate?.((next) => this.#served?.renew(next));
    const [version, follows] = [await this.#version(), kindsOf(definition)];
    this.#served = await serveSignInDashboard({
      connect,
      server,
      version,
      host,
      port,
      clock,
      certificate,
      follows,
      page: this.#page,
    });
    this.#served.addManager(definition.name, manager);
  }

  async close(): Promise<void> {
    await this.#served?.close();
  }

  /** Only shown: a server that does not say it is no reason not to start. */
  async #version(): Promise<string> {
    const answer = await this.#context.client.raw("/version", { timeout: 5_000 }).catch(() => undefined);
    return isObject(answer) ? String(answer["gitVersion"]) : "";
  }
}

/** Between what operators declare and the pods at the end. */
const between = ["replicasets.apps", "jobs.batch", "pods.", "nodes.", "namespaces."];

/** The kinds a manager has to do with: a cluster may hold many more objects than a manager has memory for. */
function kindsOf({ controllers, resources = [] }: ShownManager): KindFilter {
  const declared = controllers.flatMap(({ resource, owns, watches, uses }) => [
    resource,
    ...[...owns, ...watches, ...uses].map((entry) => entry.resource),
  ]);
  const names = new Set([
    ...between,
    ...[...declared, ...resources].map(({ plural, group }) => `${plural}.${group}`),
  ]);
  return ({ plural, group }) => names.has(`${plural}.${group}`);
}
