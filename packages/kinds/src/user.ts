/** The authenticated user of a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The administrator every embedded cluster has. */
export const admin: UserInfo = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** The user of requests without credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** The server, when it calls itself. */
export const apiServerUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};
