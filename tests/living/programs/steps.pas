{ A program that goes through a good part of Free Pascal's run-time library.
  SPDX-License-Identifier: LGPL-2.1-or-later }
program steps;
{$mode objfpc}{$H+}
uses sysutils, classes, math;
type
  TShape = class
    function Area: double; virtual; abstract;
  end;
  TCircle = class(TShape)
    r: double;
    constructor Create(ar: double);
    function Area: double; override;
  end;
constructor TCircle.Create(ar: double); begin r := ar; end;
function TCircle.Area: double; begin Result := pi * r * r; end;
function fib(n: integer): int64;
begin if n < 2 then Result := n else Result := fib(n-1) + fib(n-2); end;
var l: TStringList; i: integer; s: TShape; st: string;
begin
  l := TStringList.Create;
  for i := 1 to 100 do l.Add(Format('%d %g %s', [i * 7919 mod 101, sqrt(i), IntToHex(i, 4)]));
  l.Sort;
  for i := 0 to 9 do writeln(l[i]);
  s := TCircle.Create(2.5); writeln(s.Area:0:3, ' ', fib(15));
  try
    st := 'abc'; i := StrToInt(st);
  except
    on e: EConvertError do writeln('caught ', e.message);
  end;
  writeln(DateTimeToStr(EncodeDate(2020, 2, 3)), Power(2, 10):0:2);
  s.Free; l.Free;
end.
