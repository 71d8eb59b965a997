// Members as pods of process nodes, with the operator in this process: it reaches them with MongoDB's driver through port-forwards, as it
// does outside a cluster. The members are the model of mongod, or real mongod where there is one.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomResourceDefinition, Node, Pod, Secret } from "@kubewright/api";
import { type Client, hasCondition, waitFor } from "@kubewright/client";
import { type RunningManager, startManager } from "@kubewright/runtime";
import { MongoDBBackup } from "../../operators/mongodb/src/api/v1/mongo-db-backup.js";
import { MongoDBCommunity } from "../../operators/mongodb/src/api/v1/mongo-db-community.js";
import { MongoDBRestore } from "../../operators/mongodb/src/api/v1/mongo-db-restore.js";
import { DriverMember } from "../../operators/mongodb/src/client/driver-member.js";
import { LoopbackRelay } from "../../operators/mongodb/src/client/loopback-relay.js";
import type { Login } from "../../operators/mongodb/src/client/mongo-member.js";
import { NetworkAccess } from "../../operators/mongodb/src/client/network-access.js";
import { mongoManager } from "../../operators/mongodb/src/manager.js";
import type { Step } from "../../operators/mongodb/src/replica-set/step.js";
import { bundle, bundleProgram } from "../bundle.js";
import { eventually, modes, namespace, ProcessCluster } from "../process-nodes/process-cluster.js";

const mode = modes.find((each) => each.missing === undefined);
export const missing: string | undefined = mode ? undefined : "process nodes do not work here";

const modelVersions = ["4.2.6", "4.4.29", "7.0.14"];
/** The operator's own image, which agents run. */
const agentImage = "mongodb-operator";

type MemberTls = ConstructorParameters<typeof DriverMember>[0]["tls"];

export class MongoNodes {
  readonly nodes: ProcessCluster;
  readonly client: Client;
  readonly errors: string[] = [];
  readonly steps: Step[] = [];
  readonly #folder: string;
  readonly #access = new NetworkAccess({ path: "forward" });
  readonly #closing: (() => void)[] = [];
  #manager: RunningManager | undefined;

  private constructor(nodes: ProcessCluster, folder: string) {
    this.nodes = nodes;
    this.client = nodes.client;
    this.#folder = folder;
  }

  /** With real programs by version, or with the model. */
  static async start(real?: ReadonlyMap<string, string>): Promise<MongoNodes> {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-mongodb-nodes-"));
    const images = real ? imagesOf(real) : await modelImages(folder);
    const agent = {
      image: agentImage,
      programs: { "/main.mjs": await bundleProgram("operators/mongodb/src/main.ts", folder) },
      entrypoint: [process.execPath, "/main.mjs"],
    };
    const nodes = await ProcessCluster.start(
      { userNamespace: mode?.userNamespace ?? false, images: [...images, agent] },
      { nodes: 3 },
    );
    const world = new MongoNodes(nodes, folder);
    for (const kind of [MongoDBCommunity, MongoDBBackup, MongoDBRestore]) {
      const crd = kind.crd();
      await world.client.apply(CustomResourceDefinition, crd);
      const name = crd.metadata?.name ?? "";
      await waitFor(world.client, CustomResourceDefinition, name, hasCondition("Established"));
    }
    const onStep = (_: MongoDBCommunity, step: Step) => world.steps.push(step);
    world.#manager = await startManager(
      mongoManager({ access: world.#access, image: "mongo", agentImage: async () => agentImage, onStep }),
      {
        client: nodes.cluster.connect({ userAgent: "mongodb-operator", fieldManager: "mongodb-operator" }),
        namespace,
        leaderElection: false,
        onError: (where, error) => world.errors.push(`${where}: ${error}`),
      },
    );
    return world;
  }

  async create(name: string, spec: object): Promise<void> {
    await this.client.create(Secret, {
      metadata: { name: "my-user-password", namespace },
      stringData: { password: "change-me-please" },
    });
    await this.client.create(MongoDBCommunity, { metadata: { name, namespace }, spec: spec as never });
  }

  async until(
    name: string,
    test: (object: MongoDBCommunity) => boolean,
    timeout = 180_000,
  ): Promise<MongoDBCommunity> {
    let last: MongoDBCommunity | undefined;
    await eventually(
      async () => {
        last = await this.client.get(MongoDBCommunity, name, { namespace });
        return test(last);
      },
      () =>
        `${JSON.stringify(last?.status, undefined, 1)}\nerrors: ${this.errors.slice(-3).join("\n")}\nnodes: ${this.nodes.problems.slice(-3).join("\n")}`,
      timeout,
    );
    return last as MongoDBCommunity;
  }

  /** With that many members, arbiters among them. */
  settled(name: string, members: number): Promise<MongoDBCommunity> {
    return this.until(
      name,
      ({ status, metadata }) =>
        status?.phase === "Running" &&
        status.ready === `${members}/${members}` &&
        status.members?.length === members &&
        status.step === undefined &&
        status.observedGeneration === metadata.generation,
    );
  }

  /** Whether new pods can go to nodes. */
  async openNodes(isOpen: boolean): Promise<void> {
    const { items } = await this.client.list(Node);
    for (const { metadata } of items)
      await this.client.patch(Node, metadata?.name ?? "", { merge: { spec: { unschedulable: !isOpen } } });
  }

  /** The status of a backup or restore that is over. */
  async over(kind: typeof MongoDBBackup | typeof MongoDBRestore, name: string): Promise<unknown> {
    let last: MongoDBBackup | undefined;
    await eventually(
      async () => {
        last = await this.client.get(kind as typeof MongoDBBackup, name, { namespace });
        return last.status?.completionTime !== undefined;
      },
      () => `${JSON.stringify(last?.status)}\nnodes: ${this.nodes.problems.slice(-3).join("\n")}`,
      60_000,
    );
    return last?.status;
  }

  /** What the pod of an exporter answers, through a port-forward. */
  async scrape(app: string, auth: string): Promise<{ readonly status: number; readonly text: string }> {
    const { items } = await this.client.list(Pod, { namespace, labelSelector: `app=${app}` });
    const pod = items.find(({ status }) => status?.phase === "Running")?.metadata?.name;
    if (!pod) throw new Error(`no pod of ${app} runs`);
    const stream = await this.client.pods.portForward(pod, 9216, { namespace });
    const authorization = `Basic ${Buffer.from(auth).toString("base64")}`;
    stream.write(
      `GET /metrics HTTP/1.1\r\nhost: exporter\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`,
    );
    let text = "";
    for await (const part of stream) text += part;
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
  }

  /** Changes the spec of a set by a merge patch, and waits until it is as wanted. */
  async change(name: string, spec: object, members: number): Promise<MongoDBCommunity> {
    await this.client.patch(MongoDBCommunity, name, { merge: { spec } as never }, { namespace });
    return this.settled(name, members);
  }

  /** A member as a user reaches it, through a port-forward. */
  member(pod: string, login: Login | undefined, tls?: MemberTls): DriverMember {
    const relay = new LoopbackRelay(() => this.client.pods.portForward(pod, 27_017, { namespace }));
    const member = new DriverMember({
      what: pod,
      address: () => relay.address(),
      login,
      tls,
      timeouts: { connect: 3_000, command: 10_000 },
    });
    this.#closing.push(() => {
      member.close();
      relay.close();
    });
    return member;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) close();
    await this.#manager?.close();
    this.#access.close();
    await this.nodes.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const imagesOf = (programs: ReadonlyMap<string, string>) =>
  [...programs].map(([version, mongod]) => ({ image: `mongo:${version}`, programs: { mongod } }));

async function modelImages(folder: string) {
  const mongod = await bundledModel(folder);
  return modelVersions.map((version) => ({
    image: `mongo:${version}`,
    programs: { mongod },
    env: { MODEL_VERSION: version, MODEL_SPEED: "4" },
  }));
}

/** The model as one program. */
async function bundledModel(folder: string): Promise<string> {
  const outfile = join(folder, "mongod");
  await bundle({
    entryPoints: ["operators/mongodb/src/model/main.ts"],
    outfile,
    format: "cjs",
    banner: { js: `#!${process.execPath}` },
  });
  chmodSync(outfile, 0o755);
  return outfile;
}
