import { TimeoutError } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../config-error.js";
import { ConnectionError } from "../connection-error.js";
import { connectProblem, exchangeProblem } from "./connection-problem.js";

const peer = { cluster: "cluster dev", headersTimeout: 1000, bodyTimeout: 2000 };
const failure = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe("failure to connect", () => {
  it.each([
    ["ECONNREFUSED", "refused", "connection refused; is the API server running, and is its address right?"],
    ["ENOTFOUND", "unreachable", "its name does not resolve (ENOTFOUND); check the address"],
    ["EHOSTUNREACH", "unreachable", "cannot connect (EHOSTUNREACH); check the address"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls", "signed by an unknown authority; set certificate-authority"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls", "it does not speak TLS"],
  ])("with %s is %s", (code, problem, message) => {
    const error = connectProblem(peer, failure(code));
    expect(error).toMatchObject({ name: "ConnectionError", problem });
    expect(error.message).toContain(`cluster dev: `);
    expect(error.message).toContain(message);
  });
});

describe("failure on a connection", () => {
  it("after which nothing came is a timeout", () => {
    expect(exchangeProblem(peer, failure("UND_ERR_HEADERS_TIMEOUT"))).toBeInstanceOf(TimeoutError);
    expect(exchangeProblem(peer, failure("UND_ERR_BODY_TIMEOUT")).message).toContain("stopped for 2000 ms");
  });

  it("because of the client's certificate says so", () => {
    const alert = "SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:SSL alert number 116";
    const error = exchangeProblem(peer, failure("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", alert));
    expect(error).toMatchObject({ problem: "tls" });
    expect(error.message).toContain("it refused the client certificate");
  });

  it("because of a header that cannot be sent is a mistake in the configuration", () => {
    const error = exchangeProblem(peer, failure("UND_ERR_INVALID_ARG", "invalid authorization header"));
    expect(error).toBeInstanceOf(ConfigError);
  });

  it("that is known already stays as it is", () => {
    const known = new ConnectionError("x", "proxy");
    expect(exchangeProblem(peer, known)).toBe(known);
    expect(connectProblem(peer, known)).toBe(known);
  });
});
