import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Account } from "../../billing/accounts/account.ts";
import type { NewEntry } from "../../billing/accounts/account-store.ts";
import type { Finding } from "../../billing/audit.ts";
import type { Granted, LeaseRequest } from "../../billing/holds/lease-store.ts";
import { exampleRecord, insertRecords, nextRequestId } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Storage } from "../storage.ts";
import { tester } from "../../changes/actor.testkit.ts";

const now = 1_700_000_000_000;
let last = 0;
const unique = (prefix: string) => `${prefix}-${(last += 1)}`;

async function newAccount(storage: Storage, change: Partial<Account> = {}): Promise<string> {
  const id = unique("account");
  const account = { id, name: "Team", mode: "prepaid", markupBasisPoints: 0, createdAt: now, ...change } as const;
  expect(await storage.accounts.create(account, tester)).toBe(true);
  return id;
}

function credit(accountId: string, amountMicrousd: number, change: Partial<NewEntry> = {}): NewEntry {
  const id = `ent_${nextRequestId().slice(4)}_0`;
  return {
    id,
    accountId,
    kind: "credit",
    amountMicrousd,
    createdAt: now,
    idempotencyKey: null,
    note: null,
    by: tester,
    ...change,
  };
}

function leaseOf(accountId: string, neededMicrousd: number, change: Partial<LeaseRequest> = {}): LeaseRequest {
  const wantedMicrousd = change.wantedMicrousd ?? neededMicrousd;
  const times = { now, expiresAt: now + 30_000, recallUntil: now + 1_000 };
  return { leaseId: unique("lease"), accountId, neededMicrousd, wantedMicrousd, ...times, ...change };
}

/** A record of this account with a charge of this amount. */
function charged(accountId: string, amount: number, change: Partial<UsageRecord> = {}): UsageRecord {
  const line = { dimension: "input", quantity: amount, unit: "1M_tokens", unitSize: 1, unitMicrousd: 1 } as const;
  return exampleRecord({
    accountId,
    billing: {
      status: amount === 0 ? "refunded" : "charged",
      amountMicrousd: amount,
      pricingVersion: 3,
      lineItems: amount === 0 ? [] : [{ ...line, amountMicrousd: amount }],
    },
    ...change,
  });
}

const pending = (record: UsageRecord): UsageRecord => ({
  ...record,
  status: "pending",
  responseId: null,
  billing: { ...record.billing, status: "pending", amountMicrousd: 0, lineItems: [] },
});

/** What an audit finds in these accounts and records. Other tests of the contract leave records without matching lines. */
async function findings(storage: Storage, subjects: ReadonlySet<string>): Promise<Finding[]> {
  const found: Finding[] = [];
  await storage.auditor.audit((finding) => {
    if (subjects.has(finding.subject)) found.push(finding);
  });
  return found;
}

const kinds = async (storage: Storage, account: string) =>
  (await storage.accounts.entries(account, { limit: 1_000, after: null })).map(({ kind, amountMicrousd }) => [
    kind,
    amountMicrousd,
  ]);

/** What every storage must do with accounts, entries, balances and leases. */
export function ledgerContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  test("the default account is there, and an id is taken once", async () => {
    const { storage, other } = stores();
    expect(await storage.accounts.find("default")).toMatchObject({ id: "default", mode: "unlimited" });
    const account = { id: unique("twice"), name: "Zoë", mode: "prepaid", markupBasisPoints: -1_250, createdAt: now };
    const made = await Promise.all([
      storage.accounts.create({ ...account, mode: "prepaid" }, tester),
      other.accounts.create({ ...account, mode: "prepaid" }, tester),
    ]);
    expect(new Set(made)).toEqual(new Set([false, true]));
    expect(await other.accounts.find(account.id)).toEqual({ ...account, mode: "prepaid" });
    expect(await storage.accounts.find("nobody")).toBeNull();
    expect(await storage.accounts.balance("nobody")).toBeNull();
    expect((await storage.accounts.list()).find((each) => each.account.id === account.id)).toEqual({
      account: { ...account, mode: "prepaid" },
      balanceMicrousd: 0,
      heldMicrousd: 0,
      durablyHeldMicrousd: 0,
      leasedMicrousd: 0,
    });
  });

  test("an entry with an idempotency key is made once, also by two processes at once", async () => {
    const { storage, other } = stores();
    const account = await newAccount(storage);
    const posted = await Promise.all(
      [storage, other, storage].map((each) =>
        each.accounts.post(credit(account, 5_000_000, { idempotencyKey: "invoice-7", note: "invoice 7" })),
      ),
    );
    expect(posted.map(({ kind }) => kind).sort()).toEqual(["made", "repeated", "repeated"]);
    expect(new Set(posted.map((each) => "entry" in each && each.entry.id)).size).toBe(1);
    const other7 = await storage.accounts.post(credit(account, 6_000_000, { idempotencyKey: "invoice-7" }));
    expect(other7.kind).toBe("conflict");
    expect((await storage.accounts.post(credit(account, 1))).kind).toBe("made");
    expect((await storage.accounts.post(credit(account, 1))).kind).toBe("made");
    expect((await storage.accounts.balance(account))?.balanceMicrousd).toBe(5_000_002);
    expect(await findings(storage, new Set([account]))).toEqual([]);
  });

  test("a debit takes no more than is free, and a balance stays within exact numbers", async () => {
    const { storage } = stores();
    const account = await newAccount(storage);
    const debit = (amount: number) => storage.accounts.post(credit(account, -amount, { kind: "adjustment" }));
    expect(await storage.accounts.post(credit("nobody", 1))).toEqual({ kind: "unknown_account" });
    expect((await debit(1)).kind).toBe("insufficient");
    await storage.accounts.post(credit(account, 100));
    await storage.leases.take(leaseOf(account, 30));
    expect((await debit(71)).kind).toBe("insufficient");
    expect((await debit(70)).kind).toBe("made");
    expect((await storage.accounts.post(credit(account, Number.MAX_SAFE_INTEGER))).kind).toBe("overflow");
    const unlimited = await newAccount(storage, { mode: "unlimited" });
    const debt = await storage.accounts.post(credit(unlimited, -70, { kind: "adjustment" }));
    expect(debt).toMatchObject({ kind: "made", balance: { balanceMicrousd: -70 } });
  });

  test("a record makes its entries once, however often it is written", async () => {
    const { storage } = stores();
    const account = await newAccount(storage, { mode: "unlimited" });
    const records = [charged(account, 5), charged(account, 0, { status: "failed" }), charged(account, 7)];
    for (let times = 0; times < 3; times += 1) await insertRecords(storage.records, [...records, ...records]);
    expect(await kinds(storage, account)).toEqual([
      ["charge", -7],
      ["charge", -5],
    ]);
    expect((await storage.accounts.balance(account))?.balanceMicrousd).toBe(-12);
    const [entry] = await storage.accounts.entries(account, { limit: 1, after: null });
    expect(entry).toMatchObject({ requestId: records[2]?.id, pricingVersion: 3, createdAt: records[2]?.createdAt });
    const rest = await storage.accounts.entries(account, { limit: 5, after: entry?.id ?? null });
    expect(rest.map(({ amountMicrousd }) => amountMicrousd)).toEqual([-5]);
    expect(await findings(storage, new Set([account, ...records.map(({ id }) => id)]))).toEqual([]);
  });

  test("entries of several accounts in one batch go to their own", async () => {
    const { storage } = stores();
    const accounts = await Promise.all([1, 2, 3].map(() => newAccount(storage, { mode: "unlimited" })));
    await insertRecords(
      storage.records,
      Array.from({ length: 30 }, (_, index) => charged(accounts[index % 3] ?? "", 1 + (index % 3))),
    );
    const balances = await Promise.all(accounts.map((id) => storage.accounts.balance(id)));
    expect(balances.map((balance) => balance?.balanceMicrousd)).toEqual([-10, -20, -30]);
  });

  test("a charge lowers its lease, and what it held is held and released", async () => {
    const { storage } = stores();
    const account = await newAccount(storage);
    await storage.accounts.post(credit(account, 1_000));
    const lease = leaseOf(account, 100);
    expect(await storage.leases.take(lease)).toEqual({
      grantedMicrousd: 100,
      freeMicrousd: 900,
      elsewhere: [],
    });
    const { leaseId } = lease;
    const records = [
      charged(account, 30, { heldMicrousd: 60, leaseId }),
      charged(account, 0, { heldMicrousd: 40, leaseId }),
    ];
    await insertRecords(storage.records, records);
    await insertRecords(storage.records, records);
    expect(await kinds(storage, account)).toEqual([
      ["release", 40],
      ["hold", -40],
      ["release", 60],
      ["charge", -30],
      ["hold", -60],
      ["credit", 1_000],
    ]);
    expect(await storage.accounts.balance(account)).toMatchObject({ balanceMicrousd: 970, leasedMicrousd: 70 });
    await storage.leases.end([leaseId]);
    expect(await storage.accounts.balance(account)).toMatchObject({ balanceMicrousd: 970, leasedMicrousd: 0 });
    expect(await storage.records.find("k123456789", records[0]?.id ?? "")).toMatchObject({
      accountId: account,
      heldMicrousd: 60,
    });
    expect(await findings(storage, new Set([account, ...records.map(({ id }) => id)]))).toEqual([]);
  });

  test("the hold of a job is kept until the job ends", async () => {
    const { storage } = stores();
    const account = await newAccount(storage);
    await storage.accounts.post(credit(account, 100));
    const lease = leaseOf(account, 80);
    await storage.leases.take(lease);
    const job = charged(account, 25, { heldMicrousd: 60, leaseId: lease.leaseId });
    await insertRecords(storage.records, [pending(job), pending(job)]);
    expect(await storage.accounts.balance(account)).toEqual({
      balanceMicrousd: 100,
      heldMicrousd: 60,
      durablyHeldMicrousd: 60,
      leasedMicrousd: 20,
    });
    expect(await findings(storage, new Set([account, job.id]))).toEqual([]);
    // Its end knows no lease: another process may have seen it.
    const { leaseId: _leaseId, ...end } = job;
    await insertRecords(storage.records, [end, end, pending(job)]);
    expect(await storage.accounts.balance(account)).toEqual({
      balanceMicrousd: 75,
      heldMicrousd: 0,
      durablyHeldMicrousd: 0,
      leasedMicrousd: 20,
    });
    expect(await findings(storage, new Set([account, job.id]))).toEqual([]);
  });

  test("a charge that nothing covers any more is forgiven, and only as far as that", async () => {
    const { storage, other } = stores();
    const account = await newAccount(storage);
    await storage.accounts.post(credit(account, 100));
    const dead = leaseOf(account, 60);
    await storage.leases.take(dead);
    expect(await storage.leases.expired(now + 29_999)).not.toContain(dead.leaseId);
    expect(await storage.leases.expired(now + 30_000)).toContain(dead.leaseId);
    await other.leases.endExpired([dead.leaseId], now + 29_999);
    expect((await storage.accounts.balance(account))?.leasedMicrousd).toBe(60);
    await other.leases.endExpired([dead.leaseId], now + 30_000);
    await other.leases.take(leaseOf(account, 90));
    const late = charged(account, 25, { heldMicrousd: 60, leaseId: dead.leaseId });
    await insertRecords(storage.records, [late]);
    await insertRecords(storage.records, [late]);
    expect(await kinds(storage, account)).toEqual([
      ["adjustment", 15],
      ["release", 60],
      ["charge", -25],
      ["hold", -60],
      ["credit", 100],
    ]);
    expect(await storage.accounts.balance(account)).toMatchObject({ balanceMicrousd: 90, leasedMicrousd: 90 });
    expect(await findings(storage, new Set([account, late.id]))).toEqual([]);
  });

  test("processes that lease at once share what there is", async () => {
    const { storage, other } = stores();
    const account = await newAccount(storage);
    await storage.accounts.post(credit(account, 1_000));
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? storage : other).leases.take(leaseOf(account, 30))),
    );
    const amounts = taken.map((each) => each?.grantedMicrousd ?? 0);
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(1_000);
    expect(amounts.filter((amount) => amount === 30)).toHaveLength(33);
    expect(await storage.leases.take(leaseOf("default", 1))).toBeNull();
    expect(await storage.leases.take(leaseOf("nobody", 1))).toBeNull();
  });

  test("a lease takes an eighth of what is free beyond its need, and none while another process waits", async () => {
    const { storage, other } = stores();
    const account = await newAccount(storage);
    await storage.accounts.post(credit(account, 1_000));
    const first = leaseOf(account, 200, { wantedMicrousd: 10_000 });
    const granted: Granted = { grantedMicrousd: 300, freeMicrousd: 700, elsewhere: [] };
    expect(await storage.leases.take(first)).toEqual(granted);
    expect(await storage.leases.recalled([first.leaseId], now)).toEqual([]);
    const second = leaseOf(account, 800);
    expect(await other.leases.take(second)).toEqual({
      grantedMicrousd: 700,
      freeMicrousd: 0,
      elsewhere: [{ amountMicrousd: 300, heldMicrousd: 0, reportedAt: 0 }],
    });
    expect(await storage.leases.recalled([first.leaseId], now)).toEqual([first.leaseId]);
    expect(await storage.leases.recalled([first.leaseId], now + 1_000)).toEqual([]);
    await storage.leases.giveBack({ id: first.leaseId, heldMicrousd: 0 }, 301, now);
    await storage.leases.giveBack({ id: first.leaseId, heldMicrousd: 200 }, 100, now);
    const third = await other.leases.take(leaseOf(account, 10, { wantedMicrousd: 10_000 }));
    expect(third).toMatchObject({ grantedMicrousd: 10, freeMicrousd: 90 });
    expect(third?.elsewhere).toContainEqual({ amountMicrousd: 200, heldMicrousd: 200, reportedAt: now });
    const { leaseId: id } = first;
    expect(
      await storage.leases.renew(
        [
          { id, heldMicrousd: 150 },
          { id: "gone", heldMicrousd: 0 },
        ],
        { now, expiresAt: now + 30_000 },
      ),
    ).toEqual([id]);
    expect(await other.accounts.balance(account)).toMatchObject({ heldMicrousd: 150, leasedMicrousd: 910 });
    expect(await findings(storage, new Set([account]))).toEqual([]);
  });

  test("what two processes settle, lease and credit at once adds up", async () => {
    const { storage, other } = stores();
    const accounts = await Promise.all([1, 2, 3].map(() => newAccount(storage)));
    const records: UsageRecord[] = [];
    const work = async (index: number) => {
      const via = index % 2 === 0 ? storage : other;
      const [account = "", second = ""] = [accounts[index % 3], accounts[(index + 1) % 3]];
      const leaseId = `${account}-${index % 2}`;
      await via.accounts.post(credit(account, 100));
      await via.leases.take(leaseOf(account, 60, { leaseId }));
      const batch = [
        charged(account, 20, { heldMicrousd: 40, leaseId }),
        charged(second, 10, { heldMicrousd: 20, leaseId: `${second}-${index % 2}` }),
      ];
      records.push(...batch);
      await insertRecords(via.records, batch);
      if (index % 5 === 0) await via.leases.giveBack({ id: leaseId, heldMicrousd: 0 }, 5, now);
      if (index % 17 === 0) await via.leases.end([leaseId]);
    };
    const all = Array.from({ length: 120 }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (const index of all) await work(index);
      }),
    );
    expect(await findings(storage, new Set([...accounts, ...records.map(({ id }) => id)]))).toEqual([]);
    const balances = await Promise.all(accounts.map((id) => storage.accounts.balance(id)));
    // Nothing had to be forgiven: there was enough.
    expect(balances.map((balance) => balance?.balanceMicrousd)).toEqual([2_800, 2_800, 2_800]);
  });

  test("after any sequence of events the book adds up, and no prepaid balance is below what is held and leased", async () => {
    const { storage, other } = stores();
    const amount = fc.integer({ min: 0, max: 120 });
    const event = fc.oneof(
      fc.record({ kind: fc.constant("credit" as const), amount }),
      fc.record({ kind: fc.constant("debit" as const), amount }),
      fc.record({ kind: fc.constant("take" as const), amount, process: fc.nat(2) }),
      fc.record({ kind: fc.constant("settle" as const), amount, held: amount, process: fc.nat(2) }),
      fc.record({ kind: fc.constant("start" as const), amount, held: amount, process: fc.nat(2) }),
      fc.record({ kind: fc.constant("end" as const), job: fc.nat(5) }),
      fc.record({ kind: fc.constant("replay" as const), record: fc.nat(20) }),
      fc.record({ kind: fc.constant("expire" as const), process: fc.nat(2) }),
      fc.record({ kind: fc.constant("give back" as const), amount, process: fc.nat(2) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const account = await newAccount(storage);
        const leases = [unique("p"), unique("p"), unique("p")];
        const written: UsageRecord[] = [];
        const jobs: UsageRecord[] = [];
        let credited = 0;
        for (const [index, each] of events.entries()) {
          const via = index % 2 === 0 ? storage : other;
          const lease = "process" in each ? (leases[each.process] ?? "") : "";
          if (each.kind === "credit" || each.kind === "debit") {
            const signed = each.kind === "credit" ? each.amount : -each.amount;
            const kind = each.kind === "credit" ? "credit" : "adjustment";
            const posted = await via.accounts.post(credit(account, signed, { kind }));
            if (posted.kind === "made") credited += signed;
          } else if (each.kind === "take") await via.leases.take(leaseOf(account, each.amount, { leaseId: lease }));
          else if (each.kind === "give back")
            await via.leases.giveBack({ id: lease, heldMicrousd: 0 }, each.amount, now);
          else if (each.kind === "expire") await via.leases.endExpired([lease], now + 30_000);
          else if (each.kind === "settle" || each.kind === "start") {
            const heldMicrousd = Math.max(each.held, each.amount);
            const record = charged(account, each.amount, { heldMicrousd, leaseId: lease });
            const first = each.kind === "settle" ? record : pending(record);
            if (each.kind === "start") jobs.push(record);
            written.push(first);
            await insertRecords(via.records, [first]);
          } else if (each.kind === "end") {
            const job = jobs[each.job];
            if (job === undefined) continue;
            const { leaseId: _leaseId, ...end } = job;
            written.push(end);
            await insertRecords(via.records, [end]);
          } else {
            const record = written[each.record];
            if (record !== undefined) await insertRecords(via.records, [record, record]);
          }
          const balance = await storage.accounts.balance(account);
          expect(balance?.balanceMicrousd).toBeGreaterThanOrEqual(balance?.leasedMicrousd ?? 0);
          expect(balance?.leasedMicrousd).toBeGreaterThanOrEqual(0);
        }
        const entries = await storage.accounts.entries(account, { limit: 1_000, after: null });
        const sumOf = (...wanted: string[]) =>
          entries.reduce((sum, entry) => sum + (wanted.includes(entry.kind) ? entry.amountMicrousd : 0), 0);
        const finals = new Map(written.filter(({ status }) => status !== "pending").map((each) => [each.id, each]));
        const charges = [...finals.values()].reduce((sum, { billing }) => sum + billing.amountMicrousd, 0);
        expect(-sumOf("charge") + 0).toBe(charges);
        const forgiven = sumOf("adjustment", "credit") - credited;
        expect(forgiven).toBeGreaterThanOrEqual(0);
        const balance = await storage.accounts.balance(account);
        expect(balance?.balanceMicrousd).toBe(credited - charges + forgiven);
        expect(await findings(storage, new Set([account, ...written.map(({ id }) => id)]))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
}
