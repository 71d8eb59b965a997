// The one connection to the server: it comes back by itself, and brings every subscription along.
import { signal } from "@preact/signals";
import type { About, Call, Failure, FromPage, FromServer, Topic, Updates } from "../src/protocol.js";

export type ConnectionState =
  | { readonly phase: "connecting" }
  | { readonly phase: "open" }
  | { readonly phase: "lost"; readonly attempt: number }
  | {
      readonly phase: "refused";
      readonly message: string;
      readonly signsIn: boolean;
      readonly hadToken: boolean;
    };

type Handler = { readonly topic: Topic; onUpdate(update: unknown): void; onFailure(failure: Failure): void };

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export const state = signal<ConnectionState>({ phase: "connecting" });
export const about = signal<About | undefined>(undefined);

const handlers = new Map<number, Handler>();
const pending = new Map<number, Pending>();
let socket: WebSocket | undefined;
let nextId = 1;
let attempt = 0;
/** Whether the last connection said a token. */
let hadToken = false;

/** The token stands in the address once; it is kept for this tab, and taken out of what the person sees. */
function tokenOf(): string {
  const given = /^#token=([\w-]+)/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", "#/");
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
  return sessionStorage.getItem("token") ?? "";
}

export function connect(): void {
  const token = tokenOf();
  hadToken = token !== "";
  const opened = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/stream`);
  socket = opened;
  opened.onopen = () => transmit({ kind: "hello", token });
  opened.onmessage = ({ data }) => receive(JSON.parse(data) as FromServer);
  opened.onclose = () => {
    if (socket === opened) lost();
  };
}

/** Tries again with the token a person has typed. */
export function signIn(token: string): void {
  sessionStorage.setItem("token", token.trim());
  state.value = { phase: "connecting" };
  connect();
}

function lost(): void {
  socket = undefined;
  for (const { reject } of pending.values()) reject(new Error("the connection was lost"));
  pending.clear();
  if (state.value.phase === "refused") return;
  attempt += 1;
  state.value = { phase: "lost", attempt };
  setTimeout(connect, Math.min(5_000, 250 * 2 ** Math.min(attempt, 5)));
}

function transmit(message: FromPage): void {
  socket?.send(JSON.stringify(message));
}

function receive(message: FromServer): void {
  switch (message.kind) {
    case "welcome":
      about.value = message.about;
      attempt = 0;
      state.value = { phase: "open" };
      for (const [id, { topic }] of handlers) transmit({ kind: "subscribe", id, topic });
      return;
    case "refused":
      sessionStorage.removeItem("token");
      state.value = { phase: "refused", message: message.message, signsIn: message.signsIn, hadToken };
      return;
    case "update":
      handlers.get(message.id)?.onUpdate(message.update);
      return;
    case "answer":
      settle(message.id)?.resolve(message.value);
      return;
    case "failure":
      handlers.get(message.id)?.onFailure(message.failure);
      settle(message.id)?.reject(Object.assign(new Error(message.failure.message), message.failure));
  }
}

function settle(id: number): Pending | undefined {
  const found = pending.get(id);
  pending.delete(id);
  return found;
}

/** Calls back with every update of a topic until the returned function is called; after a lost connection it starts anew. */
export function subscribe<Name extends Topic["topic"]>(
  topic: Extract<Topic, { topic: Name }>,
  onUpdate: (update: Updates[Name]) => void,
  onFailure: (failure: Failure) => void = () => undefined,
): () => void {
  const id = nextId++;
  handlers.set(id, { topic, onUpdate: (update) => onUpdate(update as Updates[Name]), onFailure });
  if (state.value.phase === "open") transmit({ kind: "subscribe", id, topic });
  return () => {
    handlers.delete(id);
    transmit({ kind: "unsubscribe", id });
  };
}

export function call(what: Call): Promise<unknown> {
  if (state.value.phase !== "open") return Promise.reject(new Error("not connected"));
  const id = nextId++;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    transmit({ kind: "call", id, call: what });
  });
}
