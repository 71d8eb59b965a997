import { describe, expect, it } from "vitest";
import { CelCompileError, CelEvaluationError } from "../errors.js";
import { evaluate } from "../testing/evaluate.js";
import { dynType } from "../types.js";

const holds = (source: string) => expect(evaluate(source)).toBe(true);
const fails = (source: string, message: string) =>
  expect(() => evaluate(source)).toThrow(new CelEvaluationError(message));

describe("CEL library strings", () => {
  it.each([
    "'héllo😀x'.charAt(1) == 'é' && 'héllo😀x'.charAt(5) == '😀' && 'héllo😀x'.charAt(6) == 'x' && 'a'.charAt(1) == ''",
    "'hello mellow'.indexOf('ello') == 1 && 'hello mellow'.indexOf('ello', 2) == 7 && 'hello'.indexOf('x') == -1",
    "'😀a😀b'.indexOf('b') == 3 && '😀a😀b'.indexOf('😀', 1) == 2 && 'hello'.indexOf('') == 0",
    "'hello mellow'.lastIndexOf('ello') == 7 && 'hello mellow'.lastIndexOf('ello', 6) == 1 && 'a'.lastIndexOf('x') == -1",
    "'hello'.lastIndexOf('') == 5 && '😀a😀'.lastIndexOf('😀') == 2",
    "'TacoCÆt'.lowerAscii() == 'tacocÆt' && 'tacocæt'.upperAscii() == 'TACOCæT'",
    "'hello hello'.replace('he', 'we') == 'wello wello' && 'hello hello'.replace('he', 'we', 1) == 'wello hello'",
    "'hello'.replace('he', 'we', 0) == 'hello' && 'abc'.replace('', '_') == '_a_b_c_' && 'abc'.replace('', '_', 2) == '_a_bc'",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a,b'.split(',', 0) == []",
    "'a,b'.split(',', 1) == ['a,b'] && 'a,b'.split(',', -1) == ['a', 'b'] && 'é😀'.split('') == ['é', '😀']",
    "'tacocat'.substring(4) == 'cat' && 'tacocat'.substring(0, 4) == 'taco' && 'a😀b'.substring(1, 2) == '😀' && 'a'.substring(1) == ''",
    "'  \\ttrim\\n \\u0085'.trim() == 'trim' && '\\ufeffx'.trim() == '\\ufeffx'",
    "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join('x') == ''",
    "strings.quote('a\\n\"b\\\\') == '\"a\\\\n\\\\\"b\\\\\\\\\"'",
  ])("%s", holds);

  it.each([
    ["'a'.charAt(2) == ''", "index out of range: 2"],
    ["'a'.charAt(-1) == ''", "index out of range: -1"],
    ["'abc'.substring(4) == ''", "index out of range: 4"],
    ["'abc'.substring(2, 1) == ''", "invalid substring range. start: 2, end: 1"],
    ["'abc'.indexOf('c', 5) == 1", "index out of range: 5"],
    ["'abc'.lastIndexOf('c', -1) == 1", "index out of range: -1"],
    ["[dyn(1)].join() == ''", "no such overload"],
  ])("%s fails: %s", fails);

  it("has no reverse(), as in Kubernetes", () => {
    expect(() => evaluate("'abc'.reverse() == 'cba'")).toThrow(CelCompileError);
  });

  it.each([
    ["'%d of %s'.format([3, 'x'])", "3 of x"],
    ["'100%%'.format([])", "100%"],
    ["'%s %s %s %s'.format([true, null, 1.5, b'ab'])", "true null 1.5 ab"],
    ["'%s'.format([['a', 'b']])", '["a", "b"]'],
    ["'%s'.format([[1.5, 2.0]])", "[1.500000, 2.000000]"],
    ["'%s'.format([{'b': 2, 'a': 1}])", '{"a":1, "b":2}'],
    ["'%s'.format([duration('90s')])", "90s"],
    ["'%s %s'.format([timestamp('2020-01-01T00:00:00Z'), string])", "2020-01-01T00:00:00Z string"],
    ["'%.2f|%f'.format([1234.567, 1.5])", "1,234.57|1.500000"],
    ["'%.3e'.format([1052.032911275])", "1.052\u00a0×\u00a010⁰³"],
    ["'%b %b %b'.format([5, true, -5])", "101 1 -101"],
    ["'%x %X %x %o'.format([255, 255, 'hi', 8])", "ff FF 6869 10"],
    ["'%d %d'.format([dyn(1), dyn(2u)])", "1 2"],
  ])("%s is %j", (source, expected) => expect(evaluate(source)).toBe(expected));

  it.each([
    ["'%d'.format([%s])", "'x'", "decimal clause can only be used on integers, was given string"],
    ["'%f'.format([%s])", "1", "fixed-point clause can only be used on doubles, was given int"],
    ["'%e'.format([%s])", "1", "scientific clause can only be used on doubles, was given int"],
    ["'%b'.format([%s])", "'x'", "only integers and bools can be formatted as binary, was given string"],
    [
      "'%x'.format([%s])",
      "1.5",
      "only integers, byte buffers, and strings can be formatted as hex, was given double",
    ],
    ["'%o'.format([%s])", "true", "octal clause can only be used on integers, was given bool"],
    [
      "'%s'.format([%s])",
      "quantity('1')",
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given kubernetes.Quantity",
    ],
  ])(
    "format %s of %s is refused at compile time for a literal, and fails at run time otherwise",
    (format, value, problem) => {
      const message = `error during formatting: ${problem}`;
      const [head, tail] = [
        format.slice(0, format.lastIndexOf("%s")),
        format.slice(format.lastIndexOf("%s") + 2),
      ];
      expect(() => evaluate(head + value + tail)).toThrow(CelCompileError);
      expect(() => evaluate(head + value + tail)).toThrow(message);
      fails(`${head}dyn(${value})${tail}`, message);
    },
  );

  it.each([
    ["'%d %d'.format([1])", "1:15: index 1 out of range"],
    ["'%d'.format([1, 2])", "1:12: too many arguments supplied to string.format (expected 1, got 2)"],
    ["'%q'.format([1])", '1:12: could not parse formatting clause: unrecognized formatting clause "q"'],
    ["'%'.format([1])", "1:11: unexpected end of string"],
  ])("%s is refused: %s", (source, problem) => {
    expect(() => evaluate(source)).toThrow(`ERROR: <input>:${problem}`);
  });

  it.each([
    ["dyn('%d %d').format([1])", "index 1 out of range"],
    ["dyn('%q').format([1])", 'could not parse formatting clause: unrecognized formatting clause "q"'],
    ["'%.999f'.format([1.0])", "precision is too large"],
  ])("%s fails: %s", fails);
});

describe("CEL library lists", () => {
  it.each([
    "[1, 2, 2].isSorted() && !['b', 'a'].isSorted() && [duration('1s'), duration('1m')].isSorted()",
    "[true, true].isSorted() && [].isSorted() && [b'a', b'b'].isSorted() && [1.5, 2.0].isSorted() && [1u, 2u].isSorted()",
    "[1, 2, 3].sum() == 6 && [1.5, 2.5].sum() == 4.0 && [1u].sum() == 1u && [duration('1m'), duration('1s')].sum() == duration('61s')",
    "[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3 && ['b', 'a'].min() == 'a' && [2.5, 1.5].max() == 2.5",
    "[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2 && [1].indexOf(5) == -1 && ['a'].lastIndexOf('b') == -1",
    "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [1].slice(0, 0) == []",
    "[[1], [2, 3]].flatten() == [1, 2, 3] && [[1, [2]]].flatten(5) == [1, 2]",
    "lists.range(3) == [0, 1, 2] && lists.range(0) == []",
    "[1, 2].reverse() == [2, 1] && [1, 1, 2].distinct() == [1, 2] && ['b', 'a', 'b'].distinct() == ['b', 'a']",
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [].sort() == []",
    "[{'n': 2}, {'n': 1}].sortBy(e, e.n)[0].n == 1 && ['bb', 'a'].sortBy(s, s.size()) == ['a', 'bb']",
  ])("%s", (source) => {
    const mixed = source.replace("[[1, [2]]].flatten(5)", "[[dyn(1), dyn([2])]].flatten(5)");
    holds(mixed);
  });

  it.each([
    ["[].max() == 1", "max called on empty list"],
    ["[].min() == 1", "min called on empty list"],
    ["[9223372036854775807, 1].sum() > 0", "integer overflow"],
    ["[1].slice(0, 2) == []", "cannot slice(0, 2), list is length 1"],
    ["[1].slice(-1, 1) == []", "cannot slice(-1, 1), negative indexes not supported"],
    ["[1].slice(1, 0) == []", "cannot slice(1, 0), start index must be less than or equal to end index"],
    ["[[1]].flatten(-1) == []", "level must be non-negative"],
    ["lists.range(-1) == []", "lists.range: size must be non-negative, got -1"],
    ["[dyn('a'), dyn(1)].isSorted()", "no such overload"],
  ])("%s fails: %s", fails);

  it("isSorted and sum are declared only for lists of suitable elements", () => {
    expect(() => evaluate("[[1]].isSorted()")).toThrow("found no matching overload for 'isSorted'");
    expect(() => evaluate("['a'].sum() == ''")).toThrow("found no matching overload for 'sum'");
  });
});

describe("CEL library sets", () => {
  it.each([
    "sets.contains([1, 2, 3], [2, 1]) && !sets.contains([1], [2]) && sets.contains([], []) && sets.contains([1], [])",
    "sets.equivalent([1, 1, 2], [2, 1]) && !sets.equivalent([1], [1, 2])",
    "sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [2]) && !sets.intersects([], [])",
  ])("%s", holds);
});

describe("CEL library regex", () => {
  it.each([
    "'abc 123'.find('[0-9]+') == '123' && 'abc'.find('[0-9]+') == ''",
    "'1 22 333'.findAll('[0-9]+') == ['1', '22', '333'] && '1 22 333'.findAll('[0-9]+', 2) == ['1', '22']",
    "'abc'.findAll('x') == [] && 'abc'.findAll('b', 0) == [] && 'ab'.findAll('') == ['', '', '']",
  ])("%s", holds);
});

describe("CEL library URLs", () => {
  it.each([
    "isURL('https://example.com:80/a?b=c') && isURL('/path') && !isURL('example') && !isURL('') && !isURL('://x')",
    "!isURL('http://a b') && !isURL('https://a:x/') && isURL('mailto:a@b') && !isURL('http://[::1') && !isURL('/%zz')",
    "url('HTTPS://u:p@Example.com:8080/p?q').getScheme() == 'https' && url('https://u:p@Example.com:8080/').getHost() == 'Example.com:8080'",
    "url('https://example.com:80/').getHostname() == 'example.com' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://example.com:80/').getPort() == '80' && url('https://example.com/').getPort() == '' && url('/p').getHost() == ''",
    "url('https://a/path with spaces/').getEscapedPath() == '/path%20with%20spaces/' && url('https://a').getEscapedPath() == ''",
    "url('https://a/p%2Fq#frag').getEscapedPath() == '/p%2Fq'",
    "url('https://a/?k1=a&k2=b&k2=c&e=').getQuery() == {'k1': ['a'], 'k2': ['b', 'c'], 'e': ['']}",
    "url('https://a/?x+y=%C3%A9').getQuery() == {'x y': ['é']} && url('https://a').getQuery() == {}",
    "url('https://a') == url('https://a') && url('https://a') != url('https://b') && type(url('/a')) == kubernetes.URL",
  ])("%s", holds);

  it("names the problem of a string that is no URL", () => {
    fails(
      "url('nope').getHost() == ''",
      'URL parse error during conversion from string: parse "nope": invalid URI for request',
    );
  });
});

describe("CEL library quantities", () => {
  it.each([
    "isQuantity('1.5Gi') && isQuantity('100m') && isQuantity('1e3') && !isQuantity('x') && !isQuantity('1.5GiB')",
    "quantity('1Gi').isGreaterThan(quantity('1000Mi')) && quantity('1k').isLessThan(quantity('1Ki'))",
    "quantity('1').compareTo(quantity('1000m')) == 0 && quantity('1').compareTo(quantity('2')) == -1",
    "quantity('1000m') == quantity('1') && quantity('1') != quantity('2')",
    "quantity('1Gi').add(quantity('1Gi')) == quantity('2Gi') && quantity('5').sub(quantity('2')) == quantity('3')",
    "quantity('50k').add(20) == quantity('50020') && quantity('50k').sub(20) == quantity('49980')",
    "quantity('50k').asInteger() == 50000 && quantity('50k').isInteger() && !quantity('1.5').isInteger()",
    "quantity('1.5').asApproximateFloat() == 1.5 && sign(quantity('-5')) == -1 && sign(quantity('0')) == 0",
    "type(quantity('1')) == kubernetes.Quantity",
  ])("%s", holds);

  it("asInteger fails for a quantity that is no integer, and quantity() for text that is no quantity", () => {
    fails("quantity('1.5').asInteger() == 1", "cannot convert value to integer");
    expect(() => evaluate("quantity(dyn('x')).asInteger() == 1")).toThrow(
      "quantities must match the regular expression",
    );
  });
});

describe("CEL library IP and CIDR", () => {
  it.each([
    "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.256') && !isIP('10.0.0.01') && !isIP('1.2.3') && !isIP('')",
    "!isIP(':::1') && !isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0') && !isIP('1::2::3') && !isIP('12345::') && isIP('1:2:3:4:5:6:1.2.3.4')",
    "ip('10.0.0.1').family() == 4 && ip('::1').family() == 6",
    "ip.isCanonical('127.0.0.1') && ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD') && !ip.isCanonical('2001:db8::0:0:0:abcd')",
    "ip('0.0.0.0').isUnspecified() && ip('::').isUnspecified() && !ip('::1').isUnspecified()",
    "ip('127.1.2.3').isLoopback() && ip('::1').isLoopback() && !ip('10.0.0.1').isLoopback()",
    "ip('224.0.0.1').isLinkLocalMulticast() && !ip('224.0.1.1').isLinkLocalMulticast() && ip('ff02::1').isLinkLocalMulticast() && !ip('fd00::1').isLinkLocalMulticast()",
    "ip('169.254.169.254').isLinkLocalUnicast() && ip('fe80::1').isLinkLocalUnicast() && !ip('fd80::1').isLinkLocalUnicast()",
    "ip('192.168.0.1').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast() && ip('2001:db8::abcd').isGlobalUnicast() && !ip('ff00::1').isGlobalUnicast()",
    "ip('::1') == ip('0:0:0:0:0:0:0:1') && ip('10.0.0.1') != ip('10.0.0.2') && string(ip('2001:db8:0:0:1:0:0:1')) == '2001:db8::1:0:0:1'",
    "string(ip('1:0:0:2:0:0:0:3')) == '1:0:0:2::3' && string(ip('10.1.2.3')) == '10.1.2.3' && type(ip('::1')) == net.IP",
    "isCIDR('10.0.0.0/8') && isCIDR('::1/128') && !isCIDR('10.0.0.0/33') && !isCIDR('10.0.0.0') && !isCIDR('10.0.0.0/08') && !isCIDR('::ffff:1.2.3.4/112')",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1')) && !cidr('10.0.0.0/8').containsIP('::1')",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8')) && cidr('::/0').containsCIDR('::1/128')",
    "cidr('192.168.1.7/24').ip() == ip('192.168.1.7') && cidr('192.168.1.7/24').masked() == cidr('192.168.1.0/24') && cidr('10.0.0.0/8').prefixLength() == 8",
    "string(cidr('10.0.0.0/8')) == '10.0.0.0/8' && cidr('10.0.0.0/8') != cidr('10.0.0.0/9') && type(cidr('::/0')) == net.CIDR",
  ])("%s", holds);

  it.each([
    [
      "ip('x').family() == 4",
      'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
    ],
    ["ip('fe80::1%eth0').family() == 6", 'IP address "fe80::1%eth0" with zone value is not allowed'],
    ["ip('::ffff:1.2.3.4').family() == 6", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ])("%s fails: %s", fails);

  it("names the problem of a string that is no CIDR", () => {
    expect(() => evaluate("cidr('x').prefixLength() == 1")).toThrow(
      "network address parse error during conversion from string",
    );
  });
});

describe("CEL library semver", () => {
  it.each([
    "isSemver('1.2.3') && isSemver('1.0.0-alpha.1+b.5') && !isSemver('1.2') && !isSemver('v1.2.3') && !isSemver('01.2.3') && !isSemver('1.2.3-01')",
    "isSemver('v1.2', true) && isSemver('01.02.03', true) && !isSemver('v1.2-alpha', true) && isSemver('1', true)",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3 && semver('v1', true).patch() == 0",
    "semver('1.10.0').isGreaterThan(semver('1.9.0')) && semver('1.0.0-a').isLessThan(semver('1.0.0'))",
    "semver('1.0.0-1').compareTo(semver('1.0.0-a')) == -1 && semver('1.0.0-a.1').compareTo(semver('1.0.0-a')) == 1 && semver('1.0.0-2').isLessThan(semver('1.0.0-10'))",
    "semver('1.0.0+a') == semver('1.0.0+b') && semver('1.0.0') != semver('1.0.1') && type(semver('1.0.0')) == kubernetes.Semver",
  ])("%s", holds);

  it("fails for a string that is no semantic version", () => {
    fails("semver('x').major() == 1", 'invalid semantic version "x"');
  });
});

describe("CEL library named formats", () => {
  it.each([
    "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('My_Name').hasValue()",
    "!format.dns1123Subdomain().validate('a.b-c').hasValue() && format.dns1123Subdomain().validate('-a').hasValue()",
    "!format.dns1035Label().validate('a1').hasValue() && format.dns1035Label().validate('1a').hasValue()",
    "!format.qualifiedName().validate('a.b/c').hasValue() && format.qualifiedName().validate('a/b/c').hasValue()",
    "!format.dns1123LabelPrefix().validate('a-').hasValue() && format.dns1123LabelPrefix().validate('a_').hasValue()",
    "!format.dns1123SubdomainPrefix().validate('a.b-').hasValue() && !format.dns1035LabelPrefix().validate('a-').hasValue()",
    "!format.labelValue().validate('').hasValue() && format.labelValue().validate('-a').hasValue()",
    "!format.uri().validate('https://a').hasValue() && format.uri().validate('x').hasValue()",
    "!format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue() && format.uuid().validate('x').value() == ['does not match the UUID format']",
    "!format.byte().validate('aGVsbG8=').hasValue() && format.byte().validate('x').value() == ['invalid base64']",
    "!format.date().validate('2021-01-01').hasValue() && format.date().validate('2021-13-01').value() == ['invalid date']",
    "!format.datetime().validate('2021-01-01T00:00:00Z').hasValue() && format.datetime().validate('x').value() == ['invalid datetime']",
    "format.named('dns1123Label').value() == format.dns1123Label() && !format.named('nope').hasValue()",
    "format.dns1123Label().validate('A').value()[0].startsWith('a lowercase RFC 1123 label must consist of')",
  ])("%s", holds);
});

describe("CEL library math", () => {
  const extensions = ["math"] as const;
  it.each([
    ["math.greatest(1, 2)", 2],
    ["math.greatest(1, 5, 3)", 5],
    ["math.least(1.5, 2)", { double: 1.5 }],
    ["math.greatest([1, 9, 3])", 9],
    ["math.least(7)", 7],
    ["math.ceil(1.2)", { double: 2 }],
    ["math.floor(-1.2)", { double: -2 }],
    ["math.round(-1.5)", { double: -2 }],
    ["math.trunc(-1.7)", { double: -1 }],
    ["math.abs(-5) + math.sign(-5)", 4],
    ["math.abs(-1.5)", { double: 1.5 }],
    ["math.isNaN(0.0 / 0.0) && math.isInf(1.0 / 0.0) && math.isFinite(1.0)", true],
    ["math.bitAnd(6, 3) + math.bitOr(6, 3) + math.bitXor(6, 3) + math.bitNot(0)", 13],
    ["math.bitShiftLeft(1, 4) + math.bitShiftRight(16, 2) + math.bitShiftLeft(1, 100)", 20],
    ["math.sqrt(16)", { double: 4 }],
  ])("%s is %j", (source, expected) => expect(evaluate(source, { extensions })).toEqual(expected));

  it("is not declared by default, as in Kubernetes", () => {
    expect(() => evaluate("math.greatest(1, 2) == 2")).toThrow("undeclared reference");
  });

  it.each([
    ["math.abs(-9223372036854775808) > 0", "integer overflow"],
    ["math.greatest([]) == 1", "list must not be empty"],
    ["math.bitShiftLeft(1, -1) == 1", "math.bitShiftLeft() negative offset: -1"],
    ["math.greatest(dyn('a'), 1) == 1", "no such overload"],
  ])("%s fails: %s", (source, message) => {
    expect(() => evaluate(source, { extensions })).toThrow(message);
  });
});

describe("CEL evaluation ends in bounded time", () => {
  const big = "x".repeat(1_000_000);
  const list = Array.from({ length: 2000 }, (_, index) => index);
  const deep = Array.from({ length: 300 }, (_, index) => ({ index, inner: list }));
  it.each([
    ["loops in loops", "l.all(x, l.all(y, l.all(z, x + y + z >= 0)))"],
    ["comparing large values again and again", "l.all(x, l.all(y, d == e))"],
    ["measuring a long text again and again", "l.all(x, l.all(y, s.size() > 0))"],
    ["growing a text", "l.all(x, s.replace('x', s).size() > 0)"],
    [
      "growing lists",
      "l.map(x, l.map(y, l)).flatten().flatten().size() > 0 && l.all(x, (l + l + l + l).size() > 0 && l.all(y, (l + l).size() > 0))",
    ],
    ["cutting a long text", "l.all(x, l.all(y, s.substring(x).charAt(0) == 'x'))"],
    ["counting keys", "l.all(x, l.all(y, m.size() > 0))"],
    ["zones", "l.all(x, l.all(y, timestamp(x).getHours('Europe/Berlin') >= 0))"],
    ["patterns", "l.all(x, s.findAll('x{0,500}').size() > 0)"],
  ])("%s", (_what, source) => {
    const variables = { l: dynType, s: dynType, d: dynType, e: dynType, m: dynType };
    const bindings = {
      l: list,
      s: big,
      d: deep,
      e: structuredClone(deep),
      m: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index])),
    };
    const start = performance.now();
    expect(() => evaluate(source, { variables, bindings })).toThrow(
      "operation cancelled: actual cost limit exceeded",
    );
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
