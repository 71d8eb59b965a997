import { expect, test } from "vitest";
import { withArticle, withCapitalArticle } from "./article.js";

test.each([
  ["ModelBox", "a ModelBox"],
  ["AppService", "an AppService"],
  ["Order", "an Order"],
  ["User", "a User"],
  ["OneTimeJob", "a OneTimeJob"],
  ["Onerous", "an Onerous"],
  ["HTTPRoute", "an HTTPRoute"],
  ["Hpa", "a Hpa"],
  ["URLMap", "a URLMap"],
  ["LLMService", "an LLMService"],
  ["DBCluster", "a DBCluster"],
])("%s is %s", (kind, text) => expect(withArticle(kind)).toBe(text));

test("sentences begin with a capital", () => expect(withCapitalArticle("Order")).toBe("An Order"));
