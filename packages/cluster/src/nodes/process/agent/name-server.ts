// The name server of process nodes: answers for the names of the cluster, and knows no others.
import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:net";
import {
  type Answer,
  type Question,
  readQuestion,
  recordTypes,
  responseCodes,
  writeResponse,
} from "./dns-message.js";
import type { NameTable } from "./messages.js";

const domain = "cluster.local";
const largestDatagram = 512;
const largestMessage = 65_535;

/** The DNS answers to a question. */
export function answersTo(
  { name, type }: Pick<Question, "name" | "type">,
  table: NameTable,
): { readonly code: number; readonly answers: readonly Answer[] } {
  const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
    Object.hasOwn(map, key) ? map[key] : undefined;
  const alias = own(table.aliases, name);
  if (alias !== undefined) {
    const behind = own(table.addresses, alias) ?? [];
    const addresses = behind.map((address): Answer => ({ type: "A", name: alias, address }));
    return { code: responseCodes.ok, answers: [{ type: "CNAME", name, target: alias }, ...addresses] };
  }
  const addresses = own(table.addresses, name) ?? podAddress(name);
  const services = own(table.services, name);
  if (type === recordTypes.PTR) return reverse(name, table);
  if (!addresses && !services) {
    // A name with others below it exists.
    const isParent = Object.keys(table.addresses).some((each) => each.endsWith(`.${name}`));
    return { code: isParent ? responseCodes.ok : responseCodes.noSuchName, answers: [] };
  }
  const answers: Answer[] = [];
  if (type === recordTypes.A)
    answers.push(...(addresses ?? []).map((address): Answer => ({ type: "A", name, address })));
  if (type === recordTypes.SRV)
    answers.push(...(services ?? []).map((each): Answer => ({ type: "SRV", name, ...each })));
  return { code: responseCodes.ok, answers };
}

/** `10-244-0-5.shop.pod.cluster.local` is an address by itself. */
function podAddress(name: string): readonly string[] | undefined {
  const [, address] = new RegExp(`^(\\d+-\\d+-\\d+-\\d+)\\.[a-z0-9-]+\\.pod\\.${domain}$`).exec(name) ?? [];
  return address === undefined ? undefined : [address.replaceAll("-", ".")];
}

function reverse(name: string, { addresses }: NameTable): { code: number; answers: readonly Answer[] } {
  const [, digits] = /^(\d+\.\d+\.\d+\.\d+)\.in-addr\.arpa$/.exec(name) ?? [];
  const address = digits?.split(".").reverse().join(".");
  // The longest name is the one of the pod, not of its Service.
  const found = Object.entries(addresses)
    .filter(([, each]) => address !== undefined && each.includes(address))
    .map(([each]) => each)
    .sort((a, b) => b.split(".").length - a.split(".").length);
  const [target] = found;
  if (target === undefined) return { code: responseCodes.noSuchName, answers: [] };
  return { code: responseCodes.ok, answers: [{ type: "PTR", name, target }] };
}

export class NameServer {
  readonly #datagrams: Socket;
  readonly #streams: Server;
  #table: NameTable = { addresses: {}, services: {}, aliases: {} };

  constructor() {
    this.#datagrams = createSocket("udp4", (message, { port, address }) => {
      const response = this.#respond(message, largestDatagram);
      if (response) this.#datagrams.send(response, port, address);
    });
    this.#streams = createServer((socket) => {
      let received = Buffer.alloc(0);
      socket.on("error", () => undefined);
      socket.setTimeout(10_000, () => socket.destroy());
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
        while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
          const length = received.readUInt16BE(0);
          const response = this.#respond(received.subarray(2, 2 + length), largestMessage);
          received = received.subarray(2 + length);
          if (!response) continue;
          const prefix = Buffer.alloc(2);
          prefix.writeUInt16BE(response.length);
          socket.write(Buffer.concat([prefix, response]));
        }
      });
    });
  }

  async listen(address: string, port = 53): Promise<void> {
    this.#datagrams.on("error", () => undefined);
    await Promise.all([
      new Promise<void>((resolve, reject) => {
        this.#datagrams.once("error", reject);
        this.#datagrams.bind(port, address, resolve);
      }),
      new Promise<void>((resolve, reject) => {
        this.#streams.once("error", reject);
        this.#streams.listen(port, address, resolve);
      }),
    ]);
  }

  update(table: NameTable): void {
    this.#table = table;
  }

  #respond(message: Buffer, limit: number): Buffer | undefined {
    const question = readQuestion(message);
    if (!question) return undefined;
    const { code, answers } = answersTo(question, this.#table);
    return writeResponse(question, code, answers, limit);
  }
}
