const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center;
    background: #f4f5f7; color: #16181d; }
  main { background: #fff; border: 1px solid #d9dce3; border-radius: 12px; padding: 2rem; max-width: 24rem; }
  h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
  form { display: grid; gap: .75rem; margin-top: 1.5rem; }
  button { font: inherit; padding: .7rem 1rem; border-radius: 8px; border: 1px solid #16181d; cursor: pointer; }
  button:focus-visible { outline: 3px solid #3b6cf6; outline-offset: 2px; }
  button[value=complete] { background: #16181d; color: #fff; }
  button[value=fail] { background: #fff; color: #16181d; }
`;

/** Neither value needs escaping: the sandbox formatted the amount and generated the secret, of letters and digits. */
export function challengePage(money: string, clientSecret: string): string {
  return page(
    'Your bank asks for confirmation',
    `<p>Approve a payment of <strong>${money}</strong>. This is a sandbox: no money moves.</p>
     <form method="post">
       <input type="hidden" name="client_secret" value="${clientSecret}">
       <button name="outcome" value="complete">Complete authentication</button>
       <button name="outcome" value="fail">Fail authentication</button>
     </form>`,
  );
}

export function noticePage(text: string): string {
  return page('Sandbox bank', `<p>${text}</p>`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>`;
}
