// The page beside which the inspector's is measured: the same rows, fetched the same way, as a
// plain table of all of them, without a framework, a tree, colours or news.

export const barePath = '/bare';

export const barePage = `<!doctype html>
<meta charset="utf-8">
<title>bare</title>
<table><tbody></tbody></table>
<script type="module">
const { rows } = await (await fetch('/api/v1/actors')).json();
const cell = (text) => '<td>' + text + '</td>';
document.querySelector('tbody').innerHTML = rows.name
  .map((name, at) => {
    const { kind, namespace, state } = rows.tables;
    return '<tr>' +
      cell(kind[rows.kindAt[at]]) +
      cell(namespace[rows.namespaceAt[at]]) +
      cell(name) +
      cell(state[rows.stateAt[at]].length) +
      cell(rows.since[at]) +
      '</tr>';
  })
  .join('');
</script>
`;
