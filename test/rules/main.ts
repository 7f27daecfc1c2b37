// `npm run rules`: every hard case with the tests that show it, then those without one and why.
import { testsOfRules } from './find.ts';
import { rules } from './table.ts';

const tests = testsOfRules();
for (const { id, text } of rules) {
  console.log(`${id}: ${text}`);
  for (const { file, title } of tests.get(id) ?? []) console.log(`    ${file}: ${title}`);
}
const bare = rules.filter(({ id }) => !tests.has(id));
console.log(`\n${rules.length - bare.length} of ${rules.length} have a test; without one:`);
for (const { id, text, without } of bare) {
  console.log(`  ${id}: ${text} - ${without ?? 'NO REASON'}`);
}
process.exitCode = bare.every(({ without }) => without !== undefined) ? 0 : 1;
