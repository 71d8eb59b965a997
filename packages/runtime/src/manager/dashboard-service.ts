// The place of a dashboard in a manager. The runtime knows no dashboard: a manager's definition names a function that makes one, such as
// `dashboard` of `@kubewright/dashboard`, and the process says where it listens.
import type { Clock } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { Client } from "@kubewright/client";
import type { ControllerDefinition } from "../controller/define-controller.js";
import type { AnyResource } from "../controller/kinds.js";
import { ServingCertificate } from "../metrics/serving-certificate.js";
import type { CertificateObserver } from "../metrics/webhook-metrics.js";
import type { ListenOptions } from "../serving/http-listener.js";
import type { ManagerService } from "../serving/manager-service.js";
import type { RunningManager } from "./running-manager.js";

/** Where the dashboard of a manager listens, and how people's requests are sent. */
export interface DashboardServing extends ListenOptions {
  /** A client that sends the token of a person with every request. */
  readonly connect: (token: string) => Client;
  /** The address of the API server, for people. */
  readonly server: string;
}

/** The part of a manager's definition that says what there is to see. */
export interface ShownManager {
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
  readonly resources?: readonly AnyResource[] | undefined;
}

/** What a dashboard is made with. */
export interface DashboardContext extends DashboardServing {
  readonly definition: ShownManager;
  readonly manager: RunningManager;
  /** The manager's own client. */
  readonly client: Client;
  readonly clock: Clock;
  /** Calls back with each new certificate after the first. Undefined on loopback, which needs none. */
  readonly certificate: ((onRenewed: (next: KeyPair) => void) => Promise<KeyPair>) | undefined;
}

/** A dashboard that a manager serves. */
export interface DashboardService extends ManagerService {
  readonly url: string | undefined;
}

/** Creates the dashboard that a manager serves. */
export type CreateDashboard = (context: DashboardContext) => DashboardService;

export interface ManagerDashboardOptions {
  readonly definition: ShownManager & { readonly dashboard?: CreateDashboard | undefined };
  readonly serving: DashboardServing;
  readonly manager: RunningManager;
  readonly client: Client;
  readonly clock: Clock;
  readonly certificates: CertificateObserver;
  readonly onError: (error: unknown) => void;
}

/** The dashboard of a manager, with TLS wherever it does not listen on loopback. */
export function managerDashboard(options: ManagerDashboardOptions): DashboardService {
  const { definition, serving, manager, client, clock, certificates, onError } = options;
  const { name, dashboard } = definition;
  if (!dashboard)
    throw new Error(
      `manager "${name}" has no dashboard: import { dashboard } from "@kubewright/dashboard" and give it to defineManager`,
    );
  const certificate = isLoopback(serving.host)
    ? undefined
    : new ServingCertificate({
        files: undefined,
        commonName: `${name}-dashboard`,
        hosts: ["localhost", "127.0.0.1"],
        clock,
        observer: certificates,
        onError,
      });
  const service = dashboard({
    ...serving,
    definition,
    manager,
    client,
    clock,
    certificate: certificate && ((onRenewed) => certificate.open(onRenewed)),
  });
  return {
    name: service.name,
    get url() {
      return service.url;
    },
    start: () => service.start(),
    close() {
      certificate?.close();
      return service.close();
    },
  };
}

function isLoopback(host = "127.0.0.1"): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
