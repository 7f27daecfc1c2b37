// House rules as a test: each failure says file and line. The rules are in test/tidy/, and what
// they let pass in test/tidy/exceptions.ts.
import { describe, expect, it } from 'vitest';
import { allEvents } from '#test/surface/events.ts';
import { checkBanned } from './tidy/banned.ts';
import { checkBelow } from './tidy/below.ts';
import { checkDirection } from './tidy/direction.ts';
import { exceptions } from './tidy/exceptions.ts';
import { checkIndex, checkLinks } from './tidy/links.ts';
import { checkLeftovers, checkLonelyTests, checkMentions, checkOpening } from './tidy/opening.ts';
import { checkPackages } from './tidy/packages.ts';
import { checkDeadExports, checkDeadFiles } from './tidy/reach.ts';
import { checkCircles, checkDoor, checkRooms, checkStandalone, checkTwins } from './tidy/rooms.ts';
import { checkColumns, checkFileLength, checkFunctionLength } from './tidy/size.ts';
import { readSources, type Source, type Violation } from './tidy/sources.ts';
import { checkWords } from './tidy/words.ts';

const rules: Readonly<Record<string, (sources: readonly Source[]) => readonly Violation[]>> = {
  'imports point one way': checkDirection,
  'a folder knows only those below it': checkRooms,
  'the embedded cluster has one way in': checkDoor,
  'the embedded cluster knows no API group but in plug-ins': checkStandalone,
  'no file stands beside a folder of its name': checkTwins,
  'files do not import each other in a circle': checkCircles,
  'names are the words of the glossary': checkWords,
  'nothing below the controller knows an API group': checkBelow,
  'a file has 300 lines at most': checkFileLength,
  'a function has 60 lines at most': checkFunctionLength,
  'a line has 100 columns at most': checkColumns,
  'time, randomness and the console are for src/': checkBanned,
  'a file opens with a comment': checkOpening,
  'comments name files that are there': checkMentions,
  'nothing is left for later': checkLeftovers,
  'no test is alone': checkLonelyTests,
  'there are no dead files': checkDeadFiles,
  'there are no dead exports': checkDeadExports,
  'packages are declared, used and explained': checkPackages,
  'documentation leads to what is there': checkLinks,
  'every page is in the index': checkIndex,
};

const sources = readSources();

describe('In this project', () => {
  it.each(Object.entries(rules))('%s', (rule, check) => {
    const mine = exceptions.filter((exception) => exception.rule === rule);
    const excuses = (violation: Violation) =>
      mine.find(
        ({ path, about = '' }) => path === violation.path && violation.message.includes(about),
      );
    const found = check(sources);
    const needed = new Set(found.map(excuses));
    expect(mine.filter((exception) => !needed.has(exception))).toEqual([]);
    expect(
      found
        .filter((violation) => excuses(violation) === undefined)
        .map(({ path, line, message }) => `${path}:${line} ${message}`),
    ).toEqual([]);
  });

  it('every source parses', () => {
    const broken = sources.filter(({ ast }) => ast.errors.length > 0);
    expect(broken.map(({ path, ast }) => `${path}: ${ast.errors[0]?.message}`)).toEqual([]);
  });

  it.each(allEvents)('the Event %s is recorded somewhere', (reason) => {
    const product = sources.filter(({ path }) => /^(?:machines|actors|src)\//.test(path));
    expect(product.some(({ text }) => text.includes(`'${reason}'`))).toBe(true);
  });
});
