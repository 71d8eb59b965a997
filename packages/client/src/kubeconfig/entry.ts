// Reads the fields of one entry of a kubeconfig. Each mistake is a ConfigError that says where it is.

import { isAbsolute, join } from "node:path";
import { isObject } from "@kubewright/api";
import { ConfigError } from "../config-error.js";
import type { Pem } from "../credentials/client-certificate.js";

/** One mapping in a file, and where it is: `/home/a/.kube/config: user "dev"`. */
export class Entry {
  readonly where: string;
  readonly #directory: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(where: string, directory: string, value: unknown) {
    if (!isObject(value ?? {})) throw new ConfigError(`${where} is not a mapping`);
    this.where = where;
    this.#directory = directory;
    this.#fields = isObject(value) ? value : {};
  }

  /** The value as it stands; absent when null. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || value === "") return undefined;
    // YAML reads an unquoted token of digits as a number.
    if (typeof value === "number") return String(value);
    if (typeof value !== "string") throw this.bad(name, "a string");
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new ConfigError(`${this.where}: ${name} is missing`);
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.bad(name, "true or false");
  }

  list(name: string): readonly unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value)) throw this.bad(name, "a list");
    return value;
  }

  texts(name: string): readonly string[] {
    const values = this.list(name);
    if (!values.every((value) => typeof value === "string")) throw this.bad(name, "a list of strings");
    return values;
  }

  nested(name: string): Entry | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : new Entry(`${this.where}: ${name}`, this.#directory, value);
  }

  names(): string[] {
    return Object.keys(this.#fields);
  }

  /** A path, relative ones counted from the directory of the file. */
  path(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined || isAbsolute(value) ? value : join(this.#directory, value);
  }

  /** A command: only one with a slash in it is a path, others are looked up by the system. */
  command(name: string): string {
    const value = this.required(name);
    return /[\\/]/.test(value) && !isAbsolute(value) ? join(this.#directory, value) : value;
  }

  /** PEM in `<name>-data`, encoded in base64, which goes before the file that `<name>` names. */
  pem(name: string): Pem | undefined {
    const data = this.text(`${name}-data`);
    if (data !== undefined) return { data: this.#decoded(`${name}-data`, data) };
    const path = this.path(name);
    return path === undefined ? undefined : { path };
  }

  bad(name: string, wanted: string): ConfigError {
    return new ConfigError(`${this.where}: ${name} must be ${wanted}`);
  }

  #decoded(name: string, text: string): string {
    const compact = text.replace(/\s+/g, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw this.bad(name, "base64");
    return Buffer.from(compact, "base64").toString("utf8");
  }
}
