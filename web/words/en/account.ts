export const account = {
  title: "Account",
  description: "What is left of your account's balance and of its budgets.",
  balance: "Balance",
  available: "available for requests",
  spent: "spent so far",
  showRequests: "Show the requests of this account",
  facts: { id: "Account", mode: "Mode", balance: "Balance", held: "Held by running requests" },
  modes: {
    unlimited: "Unlimited: requests are charged, and not stopped by the balance",
    prepaid: "Prepaid: the balance covers every request",
  },
  noBudgets: "No budgets. Operators set them.",
  budgetColumns: ["For", "Per", "Kind", ">Spent", ">Of", "Resets"],
} as const;
