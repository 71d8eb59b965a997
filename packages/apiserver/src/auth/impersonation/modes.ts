// The ways in which someone may act as someone else. Constrained ones need two permissions: to be that user
// (`impersonate:<mode>`), and to do this very thing as one (`impersonate-on:<mode>:<verb>`). The old way, tried last,
// needs `impersonate` alone and then allows everything.

import { validateDns1123Label, validateDns1123Subdomain } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

import type { WantedUser } from "./wanted-user.js";

export interface ImpersonationMode {
  /** Empty for the old way. */
  readonly name: string;
  /** Whether it is meant for such a user at all. */
  applies(wanted: WantedUser, requestor: UserInfo): boolean;
}

/** In the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  {
    name: "associated-node",
    applies: (wanted, requestor) => isBare(wanted) && isNodeOf(wanted.name, requestor),
  },
  { name: "arbitrary-node", applies: (wanted) => isBare(wanted) && nodeName(wanted.name) !== undefined },
  { name: "serviceaccount", applies: (wanted) => isBare(wanted) && accountName(wanted.name) !== undefined },
  {
    name: "user-info",
    applies: ({ name }) => nodeName(name) === undefined && accountName(name) === undefined,
  },
  { name: "", applies: () => true },
];

/** Nothing but the name is asked for; the rest follows from it. */
const isBare = ({ uid, groups, extra }: WantedUser): boolean =>
  uid === "" && groups.length === 0 && extra.size === 0;

const nodePrefix = "system:node:";

/** The node whose user this is. */
export function nodeName(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return validateDns1123Subdomain(name).length === 0 ? name : undefined;
}

const accountPrefix = "system:serviceaccount:";

/** The service account whose user this is. */
export function accountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(accountPrefix.length).split(":");
  const wrong = [...rest, ...validateDns1123Label(namespace), ...validateDns1123Subdomain(name)];
  return wrong.length === 0 ? { namespace, name } : undefined;
}

/** The requestor is a service account whose pod runs on that node. */
function isNodeOf(user: string, requestor: UserInfo): boolean {
  const node = nodeName(user);
  const own = requestor.extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return (
    node !== undefined && accountName(requestor.name) !== undefined && own.length === 1 && own[0] === node
  );
}
