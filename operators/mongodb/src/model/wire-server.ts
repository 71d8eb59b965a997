// The model on a port: connections with and without TLS on the same one, as mongod's mode allows.
import type { X509Certificate } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { connection } from "./command.js";
import type { ModelledMongod } from "./modelled-mongod.js";
import { encodeAnswer, RequestReader } from "./wire.js";

export interface WireServerOptions {
  readonly port: number;
  readonly host?: string | undefined;
}

const tlsHandshake = 0x16;
const loopback = /^(::ffff:)?127\.|^::1$/;

export class WireServer {
  readonly #mongod: ModelledMongod;
  readonly #options: WireServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #context: SecureContext | undefined;

  constructor(mongod: ModelledMongod, options: WireServerOptions) {
    this.#mongod = mongod;
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#readCertificates();
    mongod.onRotate = () => this.#readCertificates();
  }

  listen(): Promise<number> {
    const { port, host = "127.0.0.1" } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #readCertificates(): void {
    const files = this.#mongod.identity?.files;
    if (files)
      this.#context = createSecureContext({
        cert: files.certificateKey,
        key: files.certificateKey,
        ca: files.ca,
      });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    // The first byte shows whether the client begins a handshake of TLS.
    socket.once("readable", () => {
      const first = socket.read(1) as Buffer | null;
      if (!first) return;
      socket.unshift(first);
      const isTls = first[0] === tlsHandshake;
      const { tlsMode } = this.#mongod.options;
      if (isTls ? tlsMode === "disabled" || !this.#context : tlsMode === "requireTLS") socket.destroy();
      else if (isTls) this.#secure(socket);
      else this.#serve(socket, socket, { isTls });
    });
  }

  #secure(raw: Socket): void {
    const secure = new TLSSocket(raw, {
      isServer: true,
      ...(this.#context ? { secureContext: this.#context } : {}),
      requestCert: true,
      rejectUnauthorized: false,
    });
    secure.on("error", () => raw.destroy());
    secure.once("secure", () => {
      const certificate = secure.getPeerX509Certificate();
      // mongod refuses a certificate of another CA, and allows connections without one where that is set.
      if (certificate && !this.#mongod.identity?.trusts(chainOf(certificate), Date.now())) raw.destroy();
      else this.#serve(secure, raw, { isTls: true, certificate });
    });
  }

  #serve(
    stream: Socket,
    raw: Socket,
    kind: { isTls: boolean; certificate?: X509Certificate | undefined },
  ): void {
    const from = connection({ ...kind, isLoopback: loopback.test(raw.remoteAddress ?? "") });
    const reader = new RequestReader();
    let work = Promise.resolve();
    stream.on("data", (chunk: Buffer) => {
      try {
        for (const request of reader.push(chunk))
          work = work
            .then(
              async () => {
                const answer = await this.#mongod.answer(from, request.command);
                if (!request.isSilent && !stream.destroyed) stream.write(encodeAnswer(request, answer));
              },
              () => undefined,
            )
            .catch(() => {
              stream.destroy();
            });
      } catch {
        stream.destroy();
      }
    });
    stream.resume();
  }
}

/** A certificate with those that were sent with it. */
function chainOf(certificate: X509Certificate): readonly X509Certificate[] {
  const issuer = certificate.issuerCertificate;
  return issuer && issuer.fingerprint256 !== certificate.fingerprint256
    ? [certificate, ...chainOf(issuer)]
    : [certificate];
}
