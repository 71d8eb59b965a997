// Platforms as images name them: an operating system, an architecture, and sometimes a variant of it.
import { isObject } from "@kubewright/api";
import { UsageError } from "../command.js";

export interface Platform {
  readonly os?: string;
  readonly architecture?: string;
  readonly variant?: string;
}

/** `linux/arm64/v8`. */
export const platformName = ({ os = "?", architecture = "?", variant }: Platform): string =>
  [os, architecture, variant].filter((part) => part !== undefined).join("/");

/** `linux/arm64` stands for any variant of it. */
export const isFor = (own: Platform, wanted: string): boolean =>
  platformName(own) === wanted || `${own.os}/${own.architecture}` === wanted;

/** The platform in an untrusted document; nothing where it names none. */
export function parsePlatform(value: unknown): Platform | undefined {
  if (!isObject(value)) return undefined;
  const text = (name: string): Record<string, string> => {
    const member: unknown = value[name];
    return typeof member === "string" && member !== "" ? { [name]: member } : {};
  };
  const platform: Platform = { ...text("os"), ...text("architecture"), ...text("variant") };
  return platform.os === undefined && platform.architecture === undefined ? undefined : platform;
}

/** The platforms of `--platform linux/amd64,linux/arm64`. */
export function parsePlatforms(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[a-z0-9]+\/[a-z0-9]+(\/[a-z0-9]+)?$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(`--platform ${wrong}: an operating system and an architecture, as in linux/arm64`);
  return [...new Set(names)];
}
