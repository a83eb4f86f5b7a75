import{byFinger,inOneColumn,repaint,still}from"./parts.js";import{A,ErrorMessage,Et,L,NameField,TURN,Waiting,
about,agoText,api,around,belongsToField,changed,colourBy,correctAddress,days,endReplay,facts,fileOf,folded,folder,folderSlots,
formatNumber,ft,go,graphEtag,hiddenGroups,hueOf,isTyping,isolated,labels,layout,leadsTo,leaveOut,nameOf,nn,noteHash,noteNames,
noteToShow,now,numberOf,open,ot,parted,path,pathEnds,picture,proposed,replayHash,replaying,request,reviewHash,route,savePositions,
saveSlots,savedPositions,savedSlots,showError,showMissing,sinceText,sizeBy,sizeScale,stage,statusOf,style,tab,tag,targetsIn,
themeChanges,throttled,toggleMap,until,useChanges,useElement,useLoad,ut,vault,writer}from"./main.js";var ROOM=48,FIRST=10,WIDE=1.6;function placeAround(graph,middle2){let others=graph.filterNodes(key=>key!==middle2),folder2=key=>graph.
getNodeAttribute(key,"folder")??"￿";others.sort((one,other)=>folder2(one)<folder2(other)?-1:+(folder2(one)>folder2(other))),
middle2!==null&&graph.mergeNodeAttributes(middle2,{x:0,y:0,community:-1});for(let ring=1,at=0;at<others.length;ring+=1){
let row=others.slice(at,at+FIRST*ring);row.forEach((key,number)=>{let angle=2*Math.PI*(number+.5)/row.length,[x,y]=[WIDE*
ROOM*ring*Math.cos(angle),ROOM*ring*Math.sin(angle)];graph.mergeNodeAttributes(key,{x,y,community:-1})}),at+=row.length}}var AT_ONCE=1e3,EDITS=500,COLUMNS=JSON.stringify(["file.ctime","file.mtime","file.tags"]),AGAIN_MS=1500,MOST_TIMES=40,PAUSE_MS=1e3,
loading=!1,waiting=new Map;async function loadFacts(anew=!1){if(!(loading||facts.peek()&&!anew)){loading=!0;try{facts.value=
withWriters(await loadTable(),await json("log",{count:EDITS}))}finally{loading=!1}}}A(()=>{let{names,by,at}=changed.value;
at===0||!L(()=>facts.value)||(names===null?loadFacts(!0).catch(showError):collect(names,by))});function collect(names,by){
waiting.size||setTimeout(takeOver,PAUSE_MS);for(let name of names)waiting.set(name,by)}function takeOver(){let[known,now2,
changes]=[facts.peek(),Date.now(),waiting];if(waiting=new Map,!known)return;let next=new Map(known);for(let[name,by]of changes){
let fact=known.get(name)??{created:now2,tags:[],writer:""};next.set(name,{...fact,changed:now2,writer:by??fact.writer})}
facts.value=next}function keepFacts(names){let known=facts.peek();if(!known||known.size===names.length)return;let there=new Set(
names);facts.value=new Map([...known].filter(([name])=>there.has(name)))}async function loadTable(){let found=new Map,from=0,
times=1;for(;from!==null;){let{rows,next,remarks}=await json("table",{columns:COLUMNS,count:AT_ONCE,from});if(remarks.length&&
next===null&&times<MOST_TIMES){times+=1,await new Promise(over=>setTimeout(over,AGAIN_MS)),from=0;continue}for(let{note,
cells}of rows)found.set(note,factOf(cells));from=next}return found}function factOf(cells){let[created,saved]=cells.map(({
text})=>Date.parse(text.replace(" ","T"))||0),tags=cells[2].text.split(/,\s*/).filter(Boolean);return{created,changed:saved,
tags:tags.map(tag2=>tag2.slice(1)),writer:""}}function withWriters(found,{edits}){for(let{client,notes}of edits.toReversed())
for(let name of notes){let fact=found.get(name);fact&&(fact.writer=client)}return found}var json=async(path2,params)=>(await request(
path2,{params})).json();function frequencies(known,values){let counts=new Map;for(let fact of known?.values()??[])for(let value of values(
fact))counts.set(value,(counts.get(value)??0)+1);return[...counts].sort((a,b)=>b[1]-a[1]||(a[0]<b[0]?-1:1))}var STEP=.15,FACTOR=1.6,LABELS=["No names","Few names","Some names","Many names"],AGES=[0,365,90,30,7,1],MOST_TAGS=300,AROUND=[
"Whole graph","One link away","Two links away"];function Controls({folders,missing,arranging,arrange:arrange2}){return nn`<details class="controls" name="map-tools" onToggle=${({
currentTarget})=>{currentTarget.open&&loadFacts().catch(showError)}}>
    <summary>View</summary>
    <div class="controls-body">
      <${Choice} label="Show" value=${around} options=${AROUND.map((name,at)=>[at,name])}
        disabled=${route.value.view!=="note"} title="Around the note that is open" />
      ${folders.length>0&&nn`<${Choice} label="Folder" value=${folder}
        options=${[["","All folders"],...folders.map(([name,count])=>[name,`${name} (${count})`])]} />`}
      <${Counted} label="Tag" value=${tag} all="All tags"
        counts=${frequencies(facts.value,({tags})=>tags).slice(0,MOST_TAGS)} />
      <${Counted} label="Writer" value=${writer} all="All writers" title="The client that wrote a note last"
        counts=${frequencies(facts.value,fact=>fact.writer?[fact.writer]:[])} />
      <${Choice} label="Colour" value=${colourBy} options=${[["folder","By folder"],["community","By community"]]} />
      <${Choice} label="Size" value=${sizeBy} options=${[["weight","By weight"],["links","By links"]]} />
      <${Slider} label="Size of notes" text=${`× ${sizeScale.value}`} min="0.5" max="3" step="0.25"
        value=${sizeScale.value} set=${scale=>sizeScale.value=scale} />
      <${Slider} label="Changed within" text=${spanOf(days.value)} min="0" max=${AGES.length-1} step="1"
        disabled=${!facts.value} value=${AGES.indexOf(days.value)}
        set=${at=>days.value=AGES[at]} />
      ${days.value>0&&nn`<label class="check">
        <input type="checkbox" checked=${leaveOut.value} onChange=${()=>leaveOut.value=!leaveOut.value} />
        Leave out older notes
      </label>`}
      <${Choice} label="Names" value=${labels} options=${LABELS.map((name,at)=>[at,name])} />
      ${missing>0&&nn`<label class="check">
        <input type="checkbox" checked=${showMissing}
          onChange=${()=>showMissing.value=!showMissing.value} />
        Missing notes
      </label>`}
      <button type="button" class="plain" onClick=${arrange2} disabled=${arranging}>
        ${arranging?"Arranging…":"Arrange again"}
      </button>
    </div>
  </details>`}var spanOf=age=>age?numberOf(age,"day"):"any time";function Counted({label,value,all,counts,title}){if(!counts.
length&&!value.value)return null;let options=[["",all],...counts.map(([name,count])=>[name,`${name} (${count})`])];return nn`<${Choice} label=${label} value=${value} options=${options} title=${title} />`}
function Slider({label,text,set,...attributes}){let id=Et();return nn`<div>
    <label class="slider" for=${id}>${label}</label><output class="slider" for=${id}> ${text}</output>
    <input id=${id} type="range" aria-valuetext=${text} onInput=${({target})=>set(Number(target.value))} ...${attributes} />
  </div>`}function Zoom(){let button=(label,sign,factor)=>nn`<button type="button" aria-label=${label} title=${label}
    onClick=${()=>zoom(factor)}>${sign}</button>`;return nn`<div class="zoom" role="group" aria-label="Zoom">
    ${button("Zoom in","+",1/FACTOR)}${button("Zoom out","−",FACTOR)}${button("Show all","⤢",0)}
  </div>`}function Choice({label,value,options,...rest}){let choose=({target})=>value.value=options[target.selectedIndex][0],
id=Et();return nn`<div class="choice"><label for=${id}>${label}</label>
    <select id=${id} onChange=${choose} ...${rest}>
      ${options.map(([key,name])=>nn`<option selected=${key===value.value}>${name}</option>`)}
    </select>
  </div>`}function zoom(factor){let camera=picture.value?.renderer.getCamera();camera&&factor?picture.value?.go({ratio:camera.
getBoundedRatio(camera.ratio*factor)}):picture.value?.go({x:.5,y:.5,ratio:1,angle:0})}function shift(right,up){let camera=picture.
value?.renderer.getCamera();if(!camera)return;let{x,y,ratio}=camera.getState();picture.value?.go({x:x+right*STEP*ratio,y:y+
up*STEP*ratio})}var KEYS={ArrowLeft:()=>shift(-1,0),ArrowRight:()=>shift(1,0),ArrowUp:()=>shift(0,1),ArrowDown:()=>shift(
0,-1),"+":()=>zoom(1/FACTOR),"-":()=>zoom(FACTOR),0:()=>zoom(0)};function steer(event){!picture.value||!KEYS[event.key]||
event.ctrlKey||event.metaKey||event.altKey||(event.preventDefault(),KEYS[event.key]())}function Legend({entries,missing}){
let toggle=group=>{let next=new Set(hiddenGroups.value);next.delete(group)||next.add(group),hiddenGroups.value=next};return entries.
length<2&&!missing?null:nn`<ul class="legend" aria-label="Colours of the graph">
    ${entries.map(({group,name,count,colour})=>nn`<li key=${String(group)}>
      <button type="button" aria-pressed=${!hiddenGroups.value.has(group)} onClick=${()=>toggle(group)}
        title="Show or hide">
        <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${colour} /></svg>
        <span>${name}</span> <small>${count}</small>
      </button>
    </li>`)}
    ${missing>0&&showMissing.value&&nn`<li class="hollow">
      <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="3.8" /></svg>
      <span>missing</span> <small>${missing}</small>
    </li>`}
  </ul>`}var SHARE=2,MANY=2e3,secondsFor=order=>Math.min(20,5+order/800);function arrange(current,{show:show2,communities,done,quiet=!1}){
let worker=new Worker(fileOf("graph/worker.js"),{type:"module"}),keys=current().nodes(),index=new Map(keys.map((key,at)=>[
key,at])),pinned=null;worker.addEventListener("message",async({data})=>{if("communities"in data){each((node,at)=>node.community=
data.communities[at]),communities();return}if(!quiet||data.done){let began=performance.now();each((node,at,key)=>{key!==
pinned&&Object.assign(node,{x:data.xy[2*at],y:data.xy[2*at+1]})}),await show2(),data.done||setTimeout(()=>worker.postMessage(
{ready:!0}),SHARE*(performance.now()-began))}data.done&&(worker.terminate(),done())}),worker.postMessage(startFor(current(),
keys,index));function each(change){let graph=current();keys.forEach((key,at)=>{graph.hasNode(key)&&change(graph.getNodeAttributes(
key),at,key)})}return{knows:key=>index.has(key),pin(key,fixed=!0){let[at,{x,y}]=[index.get(key),current().getNodeAttributes(
key)];pinned=fixed?key:null,at!==void 0&&worker.postMessage({pin:at,x,y,fixed})},stop:()=>worker.terminate()}}function startFor(graph,keys,index){
let links=new Uint32Array(2*graph.size),at=0;graph.forEachEdge((_,__,source,target)=>{links.set([index.get(source)??0,index.
get(target)??0],at),at+=2});let nodes=keys.map(key=>graph.getNodeAttributes(key)),least=nodes.reduce((size,node)=>Math.min(
size,node.size),1/0);return{links,rooms:Float32Array.from(nodes,({size})=>12/2*Math.sqrt(size/least)),before:Int32Array.
from(nodes,({community=-1})=>community),steps:graph.order>MANY?90:300,seconds:secondsFor(graph.order)}}import{Graph}from"./vendor/graph.js";import{EdgeLineProgram}from"./vendor/graph.js";var WIDEST=6e3,linksAt=(ratio,links)=>Math.min(links,Math.round(WIDEST/Math.
min(1,ratio))),FewLinks=class extends EdgeLineProgram{render(params){let{array,verticesCount}=this,vertices=2*linksAt(params.
zoomRatio,verticesCount/2);this.verticesCount=vertices,this.array=array.subarray(0,array.length/(verticesCount||1)*vertices),
super.render(params),Object.assign(this,{array,verticesCount})}};function byStrength(links,weights){let weight=node=>1+(weights[node]??
0),strengths=Float64Array.from({length:links.length/2},(_,at)=>Math.min(weight(links[2*at]),weight(links[2*at+1]))),order=[
...strengths.keys()].sort((a,b)=>strengths[b]-strengths[a]||a-b),counts=new Map,rounds=[];for(let at of order){let ends=[
links[2*at],links[2*at+1]],round=Math.min(...ends.map(node=>counts.get(node)??0));for(let node of ends)counts.set(node,(counts.
get(node)??0)+1);(rounds[round]??=[]).push(at)}return rounds.flat()}var MISSING=`
`,ODD=`

`,missingKey=target=>MISSING+target,noteKey=name=>name in Object.prototype||name.startsWith(MISSING)?ODD+name:name,isMissing=key=>key.
startsWith(MISSING)&&!key.startsWith(ODD),nameOf2=key=>key.slice(key.startsWith(ODD)?ODD.length:isMissing(key)?MISSING.length:
0),HEAVY=10;function brief(name,most=40){let letters=[...name.slice(0,2*(most+1))];return name.length>most&&letters.length>
most?`${letters.slice(0,most-1).join("")}…`:name}var keyOf=(graph,name)=>graph.hasNode(noteKey(name))?noteKey(name):graph.
hasNode(missingKey(name))?missingKey(name):null;function buildGraph({names,weights,missing,links,shared},known=()=>{}){let graph=new Graph(
{type:"directed",multi:!1}),keys=[...names.map(noteKey),...missing.map(missingKey)],sized=sizes(weights),folders=folderOf(
shared);keys.forEach((key,at)=>{let here=at<names.length,attributes={label:brief(parted(nameOf2(key)).last),weight:weights[at]??
0,size:sized(weights[at]??0)};graph.addNode(key,{...attributes,folder:here?folders(key):null,...known(key)})});for(let at of byStrength(
links,weights))graph.mergeDirectedEdge(keys[links[2*at]],keys[links[2*at+1]]);return graph}function sizes(weights){let most=weights.
reduce((a,b)=>Math.max(a,b),HEAVY),share=Math.min(1,Math.max(0,Math.log10(weights.length/50)/2.3)),least=4-2.3*share,span=11-
3*share;return weight=>least+span*(weight/most)**.75}function folderOf(shared){let depth=shared?shared.split("/").length+
1:1;return name=>name.split("/").slice(0,-1).slice(0,depth).join("/")}function folderCounts(names){let counts=new Map;for(let name of names)
for(let end=name.indexOf("/");end>=0;end=name.indexOf("/",end+1)){let folder2=name.slice(0,end);counts.set(folder2,(counts.
get(folder2)??0)+1)}return[...counts].sort(([a],[b])=>a.localeCompare(b))}function neighbourhood(graph,key,depth){let seen=new Set(
[key]),frontier=[key];for(let step=0;step<depth;step+=1){let next=[];for(let one of frontier)graph.forEachNeighbor(one,other=>{
seen.has(other)||next.push(other),seen.add(other)});frontier=next}return seen}function shortestPath(graph,from,to){let before=new Map([[from,null]]),queue=[from];for(let key of queue){if(key===to)break;
graph.forEachNeighbor(key,other=>{before.has(other)||(before.set(other,key),queue.push(other))})}if(!before.has(to))return null;
let path2=[];for(let key=to;key;key=before.get(key))path2.push(key);return path2.reverse()}var stepsIn=(graph,path2)=>path2.
slice(1).map((key,at)=>{let[there,back]=[graph.hasDirectedEdge(path2[at],key),graph.hasDirectedEdge(key,path2[at])],verb=there&&
back?"links to and from":there?"links to":"is linked from";return{from:nameOf2(path2[at]),verb:isMissing(key)?"links to the missing":verb,to:nameOf2(key)}});var PAUSE_MS2=250,ALIASES=20,MOST_NAMED=3,NOTHING={key:null,problem:""};function useTypedName(graph,typed){let name=typed.
trim(),[answer,setAnswer]=ot({name:"",named:[]}),known=graph&&name?withName(graph,name):[],unknown=!!(graph&&name&&!known.
length);if(ut(()=>{if(!unknown)return;let stop=new AbortController,set=named=>stop.signal.aborted||setAnswer({name,named}),
timer=setTimeout(()=>withAlias(name,stop.signal).then(set,()=>set([])),PAUSE_MS2);return()=>{clearTimeout(timer),stop.abort()}},
[name,unknown,graphEtag.value]),!graph||!name||unknown&&answer.name!==name)return NOTHING;let names=known.length?known:answer.
named;return names.length===1?{key:keyOf(graph,names[0]),problem:""}:{key:null,problem:names.length?ambiguous(name,names):
`There is no note “${name}”.`}}function withName(graph,name){if(keyOf(graph,name)!==null)return[name];let end=`/${name.
toLowerCase()}`;return noteNames.value.filter(one=>`/${one.toLowerCase()}`.endsWith(end))}async function withAlias(name,signal){
let{aliases}=await api.places(name,ALIASES,signal),wanted=name.toLowerCase();return[...new Set(aliases.filter(({text})=>text.
toLowerCase()===wanted).map(one=>one.name))]}function ambiguous(name,names){let more=names.length>MOST_NAMED?` and ${names.
length-MOST_NAMED} more`:"",some=names.slice(0,MOST_NAMED).map(isolated).join(", ");return`“${isolated(name)}” may be ${some}${more}: write the whole name.`}function PathView(){let{from,to}=pathEnds.value,graph=picture.value?.renderer.getGraph(),[{key:first,problem},{key:last,
problem:lastProblem}]=[useTypedName(graph,from),useTypedName(graph,to)],found=graph&&first!==null&&last!==null?shortestPath(
graph,first,last):null;ut(()=>{path.value=found??[]},[first,last,graphEtag.value]);let set=more=>pathEnds.value={...pathEnds.
value,...more};return nn`<details class="controls" name="map-tools" onToggle=${({currentTarget})=>{currentTarget.open&&!from&&
route.value.view==="note"&&set({from:route.value.name??""})}}>
    <summary>Path</summary>
    <div class="controls-body">
      <${NameField} label="From" value=${from} onInput=${name=>set({from:name})} />
      <${NameField} label="To" value=${to} onInput=${name=>set({to:name})} />
      <div role="status">
        ${[problem,lastProblem].map(text=>text&&nn`<p class="quiet">${text}</p>`)}
        ${first!==null&&last!==null&&!found&&nn`<p class="quiet">No path of links joins them.</p>`}
        ${found&&graph&&nn`<${Steps} steps=${stepsIn(graph,found)} />`}
      </div>
      <button type="button" class="plain" disabled=${!from&&!to} onClick=${()=>set({from:"",to:""})}>
        Clear
      </button>
    </div>
  </details>`}function Steps({steps}){return steps.length?nn`<ol class="path">
    ${steps.map(({from,verb,to})=>nn`<li key=${from}>
      <a href=${noteHash(from)}>${from}</a> ${verb} <a href=${noteHash(to)}>${to}</a></li>`)}
  </ol>`:nn`<p class="quiet">These are the same note.</p>`}import{EdgeRectangleProgram,Sigma}from"./vendor/graph.js";import{NodeProgram,floatColor}from"./vendor/graph.js";var{FLOAT,UNSIGNED_BYTE,POINTS}=WebGLRenderingContext,VERTEX=`
attribute vec2 a_position;
attribute float a_size;
attribute vec4 a_color;
attribute vec4 a_inside;
attribute vec4 a_id;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
uniform float u_downSizingRatio;
varying vec4 v_color;
varying vec4 v_inside;
varying float v_pixel;

void main() {
  float diameter = 2.0 * a_size / u_sizeRatio * u_pixelRatio;
  #ifdef PICKING_MODE
  diameter = max(diameter / u_downSizingRatio, 3.0); // small ones can be hit, too
  v_color = a_id;
  v_color.a *= 255.0 / 254.0;
  #else
  v_color = a_color;
  v_color.a *= 255.0 / 254.0; // a float has no room for the last bit of the alpha
  v_inside = a_inside;
  #endif
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
  gl_PointSize = diameter;
  v_pixel = 1.0 / diameter;
}`,FRAGMENT=`
precision mediump float;
varying vec4 v_color;
varying vec4 v_inside;
varying float v_pixel;

void main() {
  float depth = 0.5 - length(gl_PointCoord - 0.5); // from the edge inwards, in diameters
  #ifdef PICKING_MODE
  if (depth < 0.0) discard;
  gl_FragColor = v_color;
  #else
  vec4 body = v_inside.a > 0.0 ? mix(v_color, v_inside, clamp(depth / v_pixel - 1.2, 0.0, 1.0)) : v_color;
  gl_FragColor = body * clamp(depth / v_pixel + 0.25, 0.0, 1.0);
  #endif
}`,DiscProgram=class extends NodeProgram{getDefinition(){let colour={size:4,type:UNSIGNED_BYTE,normalized:!0};return{VERTICES:1,
VERTEX_SHADER_SOURCE:VERTEX,FRAGMENT_SHADER_SOURCE:FRAGMENT,METHOD:POINTS,UNIFORMS:["u_matrix","u_sizeRatio","u_pixelRatio","u_downSizingRatio"],ATTRIBUTES:[{name:"a_position",size:2,type:FLOAT},{name:"a_size",size:1,type:FLOAT},{name:"a_color",...colour},{name:"a_inside",...colour},{name:"a_id",...colour}]}}processVisibleItem(id,start,{x,y,size,color,inside}){
this.array.set([x,y,size,floatColor(color),inside?floatColor(inside):0,id],start)}setUniforms({matrix,sizeRatio,pixelRatio,
downSizingRatio},{gl,uniformLocations:at}){gl.uniformMatrix3fv(at.u_matrix,!1,matrix),gl.uniform1f(at.u_sizeRatio,sizeRatio),
gl.uniform1f(at.u_pixelRatio,pixelRatio),gl.uniform1f(at.u_downSizingRatio,downSizingRatio)}};var LEAST=4;function lookOnlyWhenFree(renderer){let captor=renderer.getMouseCaptor();for(let look of captor.rawListeners(
"mousemove"))captor.off("mousemove",look),captor.on("mousemove",event=>{captor.isMouseDown||look(event)})}function dragging(renderer,held){
let key=null,from={x:0,y:0},moved=!1;renderer.on("downNode",({node,event})=>{key=node,from=event,moved=!1}),renderer.on(
"moveBody",({event,preventSigmaDefault})=>{key!==null&&(preventSigmaDefault(),event.original.preventDefault(),!(!moved&&
Math.hypot(event.x-from.x,event.y-from.y)<LEAST)&&(moved||renderer.setCustomBBox(renderer.getBBox()),moved=!0,renderer.getMouseCaptor().
draggedEvents+=1,move(key,renderer.viewportToGraph(event))))}),renderer.on("upNode",release),renderer.on("upStage",release),
addEventListener("pointerup",release);function move(node,position){let graph=renderer.getGraph();Object.assign(graph.getNodeAttributes(
node),position),repaint(renderer,{nodes:[node],edges:graph.edges(node)}),held(node,!0)}function release(){let was=key;key=
null,!(was===null||!moved)&&(renderer.setCustomBBox(null),held(was,!1))}return()=>moved}function hoverDrawer(colours,isBoxed){return(context,data,settings)=>{isBoxed(data.key)&&draw(context,data,settings,colours())}}
var boxArea=(context,node,picture2,settings)=>boxOf(context,node,picture2,settings).area;function boxOf(context,{x,y,size,
label,whole:whole2=label??""},picture2,{labelFont,labelSize}){context.font=`600 ${labelSize}px ${labelFont}`;let lines=linesOf(
context,whole2,Math.min(420,picture2.width-2*size-40)),width=Math.max(...lines.map(line=>context.measureText(line).width)),
wanted=x+size+width+20<=picture2.width||x<=picture2.width/2?x+size+5:x-size-width-5,start=Math.max(10,Math.min(wanted,picture2.
width-width-12)),height=Math.max(lines.length*(labelSize+4)+6,2*size+6),top=Math.max(2,Math.min(y-height/2,picture2.height-
height-2)),[left,right]=[Math.min(start-9,x-size-3),Math.max(start+width+9,x+size+3)];return{lines,start,area:{left,right,
top,bottom:top+height}}}function draw(context,data,settings,{label:ink,box:paper,accent}){let{clientWidth:width,clientHeight:height}=context.
canvas,{lines,start,area}=boxOf(context,data,{width,height},settings),{left,right,top,bottom}=area;context.beginPath(),context.
roundRect(left,top,right-left,bottom-top,Math.min((bottom-top)/2,16)),context.fillStyle=paper,context.shadowColor="rgba(0, 0, 0, 0.3)",context.shadowBlur=8,context.fill(),context.shadowBlur=0,context.strokeStyle=accent,context.lineWidth=1,context.
stroke(),context.fillStyle=ink;let line=settings.labelSize+4,first=(top+bottom)/2-(lines.length-1)*line/2+settings.labelSize/
3;lines.forEach((text,at)=>context.fillText(text,start,first+at*line))}function linesOf(context,text,width){let lines=[""];
for(let part of text.split(/(?<=[ /_-])/).flatMap(word=>word.length>30?[...word]:word)){let longer=lines[lines.length-1]+
part;context.measureText(longer).width<=width||!lines[lines.length-1]?lines[lines.length-1]=longer:lines.push(part)}return lines.
slice(0,8)}var[NAME,NODE]=[1e6,1e3],MOST_COVERED=3,MOST_COUNTED=20,CELL=40;function placedNames(names,around2){let{most=1/0,sure=0}=around2,
placed=[];for(let[at,node]of names.entries()){if(placed.length>=most)break;let{key,texts}=node,all=texts.flatMap(text=>sides(
node,around2.measure(text,key),around2).map(box=>({...box,key,text}))),free=all.find(box=>isFree(box,placed,around2));if(free)
placed.push(free);else if(at<sure){let best=leastOf(all,box=>coveredBy(box,placed,around2));(around2.isFirstSure&&at===0||
coveredBy(best,placed,around2)<(MOST_COVERED+1)*NODE)&&placed.push(best)}}return placed}var isFree=(box,placed,around2)=>isInside(
box,around2)&&!around2.discs.some(box)&&!placed.some(other=>meet(box,other))&&!around2.covered.some(other=>meet(box,other))&&
!around2.lines.some(line=>crosses(line,box));function coveredBy(box,placed,around2){let others=[...placed,...around2.covered].
filter(other=>meet(box,other)).length,lines=around2.lines.filter(line=>crosses(line,box)).length;return 1e3*NAME*+!isInside(
box,around2)+NAME*others+NODE*around2.discs.count(box,MOST_COUNTED)+lines}function leastOf(values,measure){let measured=values.
map(measure);return values[measured.indexOf(Math.min(...measured))]}function sides({x,y,size},width,{line,width:whole2}){
let[away,aslant]=[size+4,.7*size+4],middle2=y-line/2,[above,below]=[y-away-line,y+away],outer=x>=whole2/2?1:-1,beside2=(side,gap)=>side>
0?x+gap:x-gap-width,corners=[outer,-outer].flatMap(side=>[[beside2(side,aslant),y+aslant-line/2],[beside2(side,aslant),y-
aslant-line/2]]),flat=[outer,-outer].map(side=>[beside2(side,away),middle2]),centred=Math.max(3,Math.min(x-width/2,whole2-
3-width)),upright=[below,above].map(top=>[centred,top]);return[...flat,...upright,...corners].map(([left,top])=>({left,right:left+
width,top,bottom:top+line}))}function discGrid(discs,{width,height}){let[columns,rows]=[Math.ceil(width/CELL)+1,Math.ceil(
height/CELL)+1],cells=Array.from({length:columns*rows},()=>[]),column=x=>Math.max(0,Math.min(columns-1,Math.floor(x/CELL))),
row=y=>Math.max(0,Math.min(rows-1,Math.floor(y/CELL)));for(let disc of discs){let{x,y,size}=disc,[left,right]=[column(x-
size),column(x+size)];for(let at=row(y-size),last=row(y+size);at<=last;at+=1)for(let cell=at*columns+left;cell<=at*columns+
right;cell+=1)cells[cell].push(disc)}function search(box,found){let[left,right]=[column(box.left),column(box.right)];for(let at=row(
box.top),last=row(box.bottom);at<=last;at+=1)for(let cell=at*columns+left;cell<=at*columns+right;cell+=1)for(let disc of cells[cell])
if(isOn(disc,box)&&found(disc))return!0;return!1}return{some:box=>search(box,()=>!0),count(box,most=1/0){let discsOn=new Set;
return search(box,disc=>discsOn.add(disc).size>=most),discsOn.size}}}var meet=(one,other)=>one.left<other.right&&other.left<
one.right&&one.top<other.bottom&&other.top<one.bottom,isInside=(box,{width,height})=>box.left>=3&&box.right<=width-3&&box.
top>=3&&box.bottom<=height-3;function isOn({x,y,size},{left,right,top,bottom}){let across=x-Math.max(left,Math.min(x,right)),
along=y-Math.max(top,Math.min(y,bottom));return across*across+along*along<size*size}function crosses([from,to],{left,right,
top,bottom}){let[across,down]=[to.x-from.x,to.y-from.y],[first,last]=[0,1];for(let[start,step,least,most]of[[from.x,across,
left,right],[from.y,down,top,bottom]]){if(step===0&&(start<least||start>most))return!1;if(step===0)continue;let[one,other]=[
(least-start)/step,(most-start)/step];first=Math.max(first,Math.min(one,other)),last=Math.min(last,Math.max(one,other))}
return first<last}var LEVELS=[{share:0,from:1/0},{share:.25,from:7},{share:.7,from:4},{share:2.5,from:0}],CELL2=90,TRIES=4,MOST_NEAR=30,SURE=1/
8,SHORT=18,POINT=3,MOST_WIDTHS=5e3;function noteNames2(renderer,colours,near){let shown=null,keys=[],nodes=[],seen=[],discs=discGrid(
[],{width:0,height:0}),called=new Set,names=[],measure=document.createElement("canvas").getContext("2d"),widths={plain:new Map,
bold:new Map},graph=()=>renderer.getGraph(),nodeOf=key=>graph().getNodeAttributes(key),fontOf2=key=>key===shown?.key||called.
has(key)?fonts.bold:fonts.plain,[family,labelSize]=[renderer.getSetting("labelFont"),renderer.getSetting("labelSize")],fonts={
plain:`normal ${labelSize}px ${family}`,bold:`650 ${labelSize}px ${family}`};function find(){shown=near(graph());let all=[
...new Set([...keys,...graph().nodes()])],dataOf=key=>renderer.getNodeDisplayData(key),rank=key=>key===shown?.key?1/0:dataOf(
key)?.size??0;keys=all.filter(key=>graph().hasNode(key)&&dataOf(key)?.hidden===!1),keys.sort((one,other)=>rank(other)-rank(
one)||nodeOf(other).weight-nodeOf(one).weight),nodes=keys.map(key=>{let{x=0,y=0,size=0}=dataOf(key)??{};return{key,x,y,size}})}
function look(){let{width,height}=renderer.getDimensions(),at=(x,y)=>renderer.framedGraphToViewport({x,y}),[origin,right,
up,scale]=[at(0,0),at(1,0),at(0,1),renderer.scaleSize(1)];seen=[];for(let node of nodes){let x=origin.x+node.x*(right.x-
origin.x)+node.y*(up.x-origin.x),y=origin.y+node.x*(right.y-origin.y)+node.y*(up.y-origin.y),size=scale*node.size;x<-size||
x>width+size||y<-size||y>height+size||seen.push({key:node.key,x,y,size,inside:x>0&&x<width&&y>0&&y<height})}discs=discGrid(
seen.filter(({size})=>shown||size>=POINT),{width,height})}function place({level,first,boxed,titles,regions}){called=titles;
let boxes=seen.filter(({key})=>boxed.has(key)).map(node=>boxArea(measure,{...node,...wholeOf(node.key)},renderer.getDimensions(),
{labelFont:family,labelSize})),{usual,covered}=usualNames(level,boxed,regions),kept=usual.filter(name=>first.has(name.key)&&
!boxes.some(box=>meet(box,name))),isKept=new Set(kept.map(({key})=>key)),own=seen.filter(({key,inside})=>inside&&first.has(
key)&&!boxed.has(key)&&!isKept.has(key)),more=placed(own,[...covered,...boxes,...kept],own.length),before=[...boxes,...more],
others=usual.filter(name=>!first.has(name.key)&&!before.some(box=>meet(box,name)));names=[...[...kept,...others].map(name=>({
...name,isExtra:!1})),...more.map(name=>({...name,isExtra:!0}))]}function usualNames(level,boxed,regions){let{width,height}=renderer.
getDimensions(),{share,from}=LEVELS[level],most=shown?MOST_NEAR:Math.ceil(share*width*height/CELL2**2),least=shown?0:from,
tried=[];for(let node of seen){if(tried.length>=(shown?1:TRIES)*most||node.size<least)break;node.inside&&!boxed.has(node.
key)&&tried.push(node)}if(shown)return{usual:placed(tried,shown.covered,most,1),covered:shown.covered};let isSure=({key},at)=>at<
SURE*most||called.has(key),[sure,others]=[tried.filter(isSure),tried.filter((node,at)=>!isSure(node,at)&&at<most/4)],heavy=[
...sure,...others],begun=placed(heavy,[],most,sure.length),areas=regions(discs,begun),[written,isHeavy]=[new Set(areas.map(
({name})=>name)),new Set(heavy)],light=tried.filter(node=>!isHeavy.has(node)&&!written.has(nodeOf(node.key).label));return{
usual:[...begun,...placed(light,[...areas,...begun],most-begun.length)],covered:areas}}let wholeOf=key=>renderer.getNodeDisplayData(
key)??{};function placed(wanted,covered,most,sure=0){let open2=shown&&seen.find(({key})=>key===shown?.key),isSmall=shown!==
null||inOneColumn(),places=new Map(open2?seen.map(node=>[node.key,node]):[]),ends=shown&&open2?graph().neighbors(shown.key).
map(key=>places.get(key)):[],named=wanted.map(({key,x,y,size})=>{let{label}=nodeOf(key);return{key,x,y,size,texts:isSmall?
[...new Set([label,brief(label,SHORT)])]:[label]}});return placedNames(named,{...renderer.getDimensions(),line:labelSize+
3,measure:widthOf,discs,sure,isFirstSure:shown!==null&&wanted[0]?.key===shown.key,lines:ends.flatMap(end=>open2&&end?[[open2,
end]]:[]),covered,most})}function widthOf(text,key){let font=fontOf2(key),own=font===fonts.bold?widths.bold:widths.plain,
known=own.get(text);if(known!==void 0)return known;own.size>=MOST_WIDTHS&&own.clear(),measure.font=font;let{width}=measure.
measureText(text);return own.set(text,width),width}function write(context,strength){let{label,halo}=colours();context.save(),
Object.assign(context,{lineJoin:"round",lineWidth:3,strokeStyle:halo,fillStyle:label});for(let name of names){let{key,text,
left,bottom}=name;context.font=fontOf2(key),context.globalAlpha=strength(name),context.strokeText(text,left,bottom-labelSize/
3),context.fillText(text,left,bottom-labelSize/3)}context.restore()}return{find,look,place,write,beside:()=>shown!==null,
placed:()=>names}}var RING_MS=1800,GROW_MS=1200,NAME_MS=1e4,FADE_MS=600,MOST_GROWING=40,MANY2=2e3;function recentChanges(renderer,{colours,
redraw,onGrown}){let rings=new Map,growing=new Map,named=new Map,frame=0,timer=0,graph=()=>renderer.getGraph(),at=key=>renderer.
graphToViewport(graph().getNodeAttributes(key));function draw2(context){let now2=performance.now();for(let[key,note]of growing)
drawGrowing(context,key,note,(now2-note.began)/GROW_MS);for(let[key,ring]of rings)drawRing(context,key,ring,(now2-ring.began)/
RING_MS);context.globalAlpha=1}function shown(key){let data=graph().hasNode(key)?renderer.getNodeDisplayData(key):void 0;
return!data||data.filtered?null:{...at(key),size:renderer.scaleSize(data.size)}}function drawGrowing(context,key,{colour,
parent},part){let place=shown(key);if(!place||part<0||part>=1)return;let from=parent===null?null:shown(parent),eased=1-(1-
part)**3,grown=still()?1:eased,tip=from&&{x:from.x+grown*(place.x-from.x),y:from.y+grown*(place.y-from.y)};context.globalAlpha=
still()?eased:1,context.strokeStyle=context.fillStyle=colour,from&&tip&&(context.lineWidth=2,context.beginPath(),context.
moveTo(from.x,from.y),context.lineTo(tip.x,tip.y),context.stroke());let{x,y}=tip??place;context.beginPath(),context.arc(
x,y,Math.max(1,grown*place.size),0,2*Math.PI),context.fill()}function drawRing(context,key,{colour},part){let place=shown(
key);if(!place||part>=1)return;let eased=still()?.4:1-(1-part)**3;context.globalAlpha=1-part,context.strokeStyle=colour,
context.lineWidth=3,context.beginPath(),context.arc(place.x,place.y,place.size+3+26*eased,0,2*Math.PI),context.stroke()}
function animate(){frame=0;let now2=performance.now(),grown=[...growing].filter(([,{began}])=>now2-began>=GROW_MS).map(([
key])=>key);for(let key of grown)growing.delete(key);for(let[key,{began}]of rings)now2-began>=RING_MS&&rings.delete(key);
for(let[key,began]of named)now2-began>=NAME_MS&&named.delete(key);if(grown.length&&update(grown),redraw(),clearTimeout(timer),
rings.size||growing.size)frame=requestAnimationFrame(animate);else if(named.size){let fades=Math.min(...named.values())+
NAME_MS-FADE_MS-now2;fades<=0?frame=requestAnimationFrame(animate):timer=setTimeout(animate,fades)}}function update(keys){
let nodes=keys.filter(key=>graph().hasNode(key)),edges=nodes.flatMap(key=>graph().edges(key));repaint(renderer,{nodes,edges},
graph().order<=MANY2),onGrown()}return{draw:draw2,isGrowing:key=>growing.has(key),grow(next,keys,by){let isNew=new Set(keys);
for(let key of keys.slice(0,MOST_GROWING-growing.size)){let near=[...next.inNeighbors(key),...next.outNeighbors(key)].filter(
other=>other!==key),parent=near.find(other=>!isNew.has(other))??near[0]??null;growing.set(key,{began:1/0,colour:colourOf(
by(key)),parent})}},mark(keys,by){let now2=performance.now();for(let[key,note]of growing)note.began<1/0||(note.began=now2,
named.set(key,now2));for(let key of keys)growing.has(key)||rings.set(key,{began:now2,colour:colourOf(by(key))});!frame&&
(rings.size||growing.size)&&(frame=requestAnimationFrame(animate))},named:()=>[...named.keys()],strength:key=>Math.max(0,
Math.min(1,((named.get(key)??0)+NAME_MS-performance.now())/FADE_MS))};function colourOf(client){return client?`hsl(${hueOf(
client)} 55% 50%)`:colours().accent}}function overlay(renderer,{lit,traced,colours,write,onGrown,more}){let layer={beforeLayer:"hovers",style:{pointerEvents:"none"}};renderer.createCanvasContext("overlay",layer);let context=renderer.getCanvases().overlay.getContext("2d"),recent=recentChanges(
renderer,{colours,redraw:draw2,onGrown});renderer.resize(!0),renderer.on("afterRender",draw2);function draw2(){let{width,
height}=renderer.getDimensions();context.clearRect(0,0,width,height);for(let key of lit())renderer.getGraph().hasNode(key)&&
drawLinks(key);drawPath(traced().filter(key=>renderer.getGraph().hasNode(key))),recent.draw(context),more(context),write(
context)}function drawLinks(key){let graph=renderer.getGraph();if(renderer.getNodeDisplayData(key)?.hidden)return;let from=at(
key);context.beginPath(),graph.forEachNeighbor(key,other=>{if(renderer.getNodeDisplayData(other)?.hidden)return;let to=at(
other);context.moveTo(from.x,from.y),context.lineTo(to.x,to.y)}),context.strokeStyle=colours().lit,context.lineWidth=1.2,
context.stroke()}function drawPath(keys){keys.length<2||(context.beginPath(),keys.map(at).forEach(({x,y})=>context.lineTo(
x,y)),context.strokeStyle=colours().accent,context.lineWidth=3,context.stroke())}let at=key=>renderer.graphToViewport(renderer.
getGraph().getNodeAttributes(key));return{draw:draw2,recent}}var LEAST2=4,MOST_OF=.7,INSIDE=.9;function regionsOf(graph,visible=()=>!0){let communities=membersOf(graph,visible),namesakes=counted(
[...communities.values()].map(folderOf2));return[...communities.values()].map(members=>{let folder2=folderOf2(members);return{
...folder2&&namesakes.get(folder2)===1?{name:folder2}:calledAfter(heaviest(members)),...circleOf(members),count:members.
length}}).sort((a,b)=>b.count-a.count)}function unlinkedRegion(graph,visible=()=>!0){let isUnlinked=(key,{community=-1})=>community===
-1&&graph.degree(key)===0,alone=graph.filterNodes((key,node)=>isUnlinked(key,node)&&visible(key));if(alone.length<LEAST2)
return null;let range={left:1/0,right:-1/0,bottom:1/0,top:-1/0};for(let key of alone){let{x:x2,y:y2}=graph.getNodeAttributes(
key);Object.assign(range,{left:Math.min(range.left,x2),right:Math.max(range.right,x2)}),Object.assign(range,{bottom:Math.
min(range.bottom,y2),top:Math.max(range.top,y2)})}let[x,y]=[(range.left+range.right)/2,(range.bottom+range.top)/2];return{
name:"No links",x,y,r:range.top-y+12/2,count:alone.length,unlinked:!0}}function membersOf(graph,visible){let communities=new Map;
graph.forEachNode((key,node)=>{let{community=-1}=node;if(community===-1||isMissing(key)||!visible(key))return;let members=communities.
get(community);members?members.push({key,node}):communities.set(community,[{key,node}])});for(let[community,members]of communities)
members.length<LEAST2&&communities.delete(community);return communities}function folderOf2(members){let counts=counted(members.
map(({node})=>node.folder??"")),[folder2,count]=[...counts].reduce((most,one)=>one[1]>most[1]?one:most);return count>=MOST_OF*
members.length?folder2:""}var heaviest=members=>members.reduce((most,one)=>one.node.weight>most.node.weight?one:most),calledAfter=({
key,node})=>({name:node.label,note:key});function circleOf(members){let x=members.reduce((sum,{node})=>sum+node.x,0)/members.
length,y=members.reduce((sum,{node})=>sum+node.y,0)/members.length,away=members.map(({node})=>Math.hypot(node.x-x,node.y-
y)).sort((a,b)=>a-b);return{x,y,r:away[Math.floor(INSIDE*(away.length-1))]}}function counted(values){let counts=new Map;
for(let value of values)counts.set(value,(counts.get(value)??0)+1);return counts}var SMALLEST=22,LARGEST=.6,MOST_COUNTED2=20,SIZES=[12,17],STEPS=[0,1,2,-1,-2];function regionNames(renderer,colours){let regions=[],
seen=[],shown=[],measure=document.createElement("canvas").getContext("2d"),find=()=>{let graph=renderer.getGraph(),visible=key=>!renderer.
getNodeDisplayData(key)?.hidden,unlinked=unlinkedRegion(graph,visible);regions=[...unlinked?[unlinked]:[],...regionsOf(graph,
visible)]};function look(isOn2){let{width,height}=renderer.getDimensions();if(shown=[],seen=[],!isOn2||regions.length<2&&
!regions[0]?.unlinked)return new Set;for(let region of regions){let{x,y,r}=region,[at,edge]=[y,y+r].map(level=>renderer.
graphToViewport({x,y:level})),radius=Math.hypot(edge.x-at.x,edge.y-at.y);(radius>=SMALLEST&&radius<=LARGEST*Math.min(width,
height)||region.unlinked)&&at.x>0&&at.x<width&&seen.push({...region,at,radius})}return new Set(seen.flatMap(({note})=>note??
[]))}function place(discs,covered){let{width,height}=renderer.getDimensions();for(let{name,note,at,radius}of seen){if(note)
continue;let size=Math.round(Math.min(SIZES[1],Math.max(SIZES[0],radius/7))),text=brief(name);measure.font=fontOf(size);
let half=measure.measureText(text).width/2,middle2=Math.max(half+4,Math.min(at.x,width-half-4)),isApart=box=>box.top>0&&
box.bottom<height&&![...covered,...shown].some(one=>meet(box,one)),[left,right]=[middle2-half,middle2+half],boxes=[-1,1].
flatMap(side=>STEPS.map(step=>at.y+side*(radius+(.5+step)*size))).map(line=>({name:text,size,left,right,top:line-.6*size,
bottom:line+.6*size})).filter(isApart);boxes.length&&shown.push(boxes.find(box=>!discs.some(box))??leastOf(boxes,box=>discs.
count(box,MOST_COUNTED2)))}return shown}function write(context,faint){let{label,halo}=colours();context.save(),Object.assign(
context,{textAlign:"center",lineJoin:"round",lineWidth:4,strokeStyle:halo,fillStyle:label}),context.globalAlpha=faint?.3:
.85;for(let{name,size,left,right,top}of shown){let[x,y]=[(left+right)/2,top+.93*size];context.font=fontOf(size),context.
strokeText(name,x,y),context.fillText(name,x,y)}context.restore()}return{find,look,place,write,shown:()=>shown}}var fontOf=size=>`650 ${size}px system-ui, sans-serif`;var MANY_LINKS=3e3,FEW_LIT=30,FINGER=22,SLOW_MS=50,SLOW_FRAMES=6,FAINT=.28;function createPicture(graph,element,{look,colours,
near,level:first,onOpen,onDrag:onDrag2}){let hovered=null,selected=null,traced=[],lit=new Set,scene=null,isGrowing=(()=>!1),
isBeside=()=>!1,level=first,isBoxed=key=>key!==void 0&&(key===hovered||key===selected&&!isBeside()),renderer=new Sigma(graph,
element,{allowInvalidContainer:!0,nodeProgramClasses:{disc:DiscProgram},edgeProgramClasses:{line:FewLinks,band:EdgeRectangleProgram},
defaultNodeType:"disc",defaultEdgeType:graph.size>MANY_LINKS?"line":"band",defaultEdgeColor:colours().edge,labelFont:"system-ui, sans-serif",labelSize:byFinger()?14:12,renderLabels:!1,minCameraRatio:.01,maxCameraRatio:3,stagePadding:paddingFor(
graph,element),zIndex:!1,defaultDrawNodeHover:hoverDrawer(colours,isBoxed),nodeReducer:(key,data)=>{let{colour,hidden,size}=look(
key,data),grows=isGrowing(key);return Object.assign(data,{color:colour,size,filtered:hidden,hidden:hidden||grows||!!scene?.
hides(key),highlighted:lit.has(key),whole:nameOf2(key)}),isMissing(key)&&Object.assign(data,{inside:colours().halo,whole:`${nameOf2(
key)} (missing)`}),data},edgeReducer:(edge,data)=>(data.size=.8,data.hidden=!!scene?.hidesLink(edge),data)});lookOnlyWhenFree(
renderer);let regions=regionNames(renderer,colours),names=noteNames2(renderer,colours,near);isBeside=names.beside,renderer.
on("afterProcess",()=>{names.find(),isBeside()||regions.find()});function write(context){names.look();let fewLit=lit.size<=
FEW_LIT?lit:[],recent=scene?scene.named():layer.recent.named();names.place({level,first:new Set([...fewLit,...recent]),boxed:new Set(
[...lit].filter(isBoxed)),titles:regions.look(level>0&&!isBeside()),regions:regions.place}),isBeside()||regions.write(context,
hovered!==null),names.write(context,({key,isExtra})=>lit.has(key)||!hovered&&!isExtra?1:isExtra?scene?1:layer.recent.strength(
key):FAINT)}let moving=()=>renderer.getCamera().isAnimated()||renderer.getMouseCaptor().draggedEvents>0;renderer.on("afterRender",whenSlow(moving,()=>renderer.setSetting("hideEdgesOnMove",!0)));let resized=()=>{setPadding(renderer.getGraph()),
renderer.refresh({partialGraph:{},schedule:!0})};new ResizeObserver(resized).observe(element);let layer=overlay(renderer,
{lit:()=>[...new Set([selected,hovered])].filter(key=>key!==null),colours,traced:()=>traced,write,onGrown:names.find,more:context=>scene?.
draw(context)});isGrowing=layer.recent.isGrowing;function light(){let live=renderer.getGraph(),now2=new Set([selected,hovered,
...traced].filter(key=>key!==null).filter(key=>live.hasNode(key)));hovered&&live.hasNode(hovered)&&live.forEachNeighbor(
hovered,other=>now2.add(other));let touched=[...new Set([...lit,...now2])].filter(key=>live.hasNode(key));lit=now2,element.
classList.toggle("pointing",hovered!==null),repaint(renderer,{nodes:touched})}let hover=key=>{hovered!==key&&(hovered=key,
light())};renderer.on("enterNode",({node})=>hover(node)),renderer.on("leaveNode",()=>hover(null)),renderer.on("leaveStage",()=>hover(null));let wasMove=dragging(renderer,onDrag2),onClick=({node})=>{wasMove()||onOpen(nameOf2(node))};return renderer.
on("clickNode",onClick),renderer.on("clickStage",({event})=>{if(!("touches"in event.original))return;let node=nodeNear(renderer,
event,FINGER);node!==null&&onOpen(nameOf2(node))}),renderer.on("doubleClickNode",event=>{event.preventSigmaDefault(),onClick(
event)}),{renderer,regions:regions.shown,names:names.placed,recent:layer.recent,select(key){selected=key,light()},moved:()=>new Promise(
seen=>{renderer.once("afterRender",()=>seen()),renderer.refresh({partialGraph:{},skipIndexation:!1,schedule:!0})}),play(next){
next&&renderer.refresh(),scene=next,renderer.setCustomBBox(next&&renderer.getBBox())},drawScene(changed2=void 0){if(!changed2)
return layer.draw();repaint(renderer,changed2),renderer.once("beforeRender",names.find)},trace(keys){traced=keys,light()},
restyle(){let{edge}=colours();renderer.getSetting("defaultEdgeColor")!==edge?renderer.setSetting("defaultEdgeColor",edge):
renderer.refresh({partialGraph:{nodes:renderer.getGraph().nodes()},schedule:!0})},label(next){level=next,layer.draw()},replace(next){
hovered&&!next.hasNode(hovered)&&(hovered=null),lit=new Set([...lit].filter(key=>next.hasNode(key))),renderer.setGraph(next),
setPadding(next),light()},fit(keys,closest=Math.min(.5,Math.max(.05,Math.sqrt(12/renderer.getGraph().order))),margins=void 0){
let places=keys.map(key=>renderer.getNodeDisplayData(key)).filter(data=>data!==void 0);if(!places.length)return;let[xs,ys]=[
places.map(({x})=>x),places.map(({y})=>y)],[left,right,low,high]=[Math.min(...xs),Math.max(...xs),Math.min(...ys),Math.max(
...ys)],shares=margins?sharesWithin(margins):{x:1.25,y:1.25},ratio=Math.min(1,Math.max(closest,shares.x*(right-left),shares.
y*(high-low)));go2({x:(left+right)/2,y:(low+high)/2,ratio})},go:go2};function setPadding(shown){let padding=paddingFor(shown,
element);renderer.getSetting("stagePadding")!==padding&&renderer.setSetting("stagePadding",padding)}function sharesWithin(margins){
let{width,height}=renderer.getDimensions(),cameraState={x:.5,y:.5,angle:0,ratio:1},[from,to]=[0,1].map(x=>renderer.framedGraphToViewport(
{x,y:0},{cameraState})),[across,along]=[width-2*margins.x,height-2*margins.y].map(room=>Math.max(room,20));return{x:(to.
x-from.x)/across,y:(to.x-from.x)/along}}function go2(state){let camera=renderer.getCamera();still()?camera.setState(state):
camera.animate(state,{duration:450})}}var paddingFor=({order},{clientWidth,clientHeight})=>Math.max(40,Math.min(260-12*order,
.3*clientWidth,.3*clientHeight));function whenSlow(moving,act){let last=0,slow=0;return()=>{let took=performance.now()-last;
last+=took,slow!==SLOW_FRAMES&&(slow=moving()&&took>SLOW_MS?slow+1:0,slow===SLOW_FRAMES&&act())}}function nodeNear(renderer,point,pixels){
let best={key:null,away:pixels};return renderer.getGraph().forEachNode(key=>{let data=renderer.getNodeDisplayData(key);if(!data||
data.hidden)return;let{x,y}=renderer.framedGraphToViewport(data),away=Math.hypot(x-point.x,y-point.y)-renderer.scaleSize(
data.size);away<best.away&&(best={key,away})}),best.key}var COLOURS=8,LISTED={folder:24,community:COLOURS};function paletteFor(links){let style2=getComputedStyle(document.documentElement),
read=name=>style2.getPropertyValue(name).trim();return{groups:Array.from({length:COLOURS},(_,at)=>read(`--group-${at}`)),
other:read("--group-other"),missing:read("--graph-missing"),faint:read("--graph-faint"),edge:premultiplied(read("--graph-edge"),Math.max(.4,Math.min(1,Math.sqrt(2e3/(links||1))))),lit:read("--graph-lit"),label:read("--text"),halo:read("--graph-back"),accent:read("--accent"),box:read("--raised")}}function premultiplied(colour,share){let[red,green,blue,alpha]=colour.
split(/[\s/]+/).map(Number),part=alpha*share;return`rgba(${[red,green,blue].map(one=>Math.round(one*part)).join(", ")}, ${part})`}var groupOf=(key,node,by)=>isMissing(key)?null:by==="folder"?node.folder:node.community??-1,colouring=(by,{groups:groups2,
other,missing},slots)=>group=>group===null?missing:groups2[typeof group=="string"?slots[group]:group]??other;function legend(graph,by,palette,slots){
let counts=new Map,heaviest2=new Map;graph.forEachNode((key,node)=>{let group=groupOf(key,node,by);group===null||node.proposed||
(counts.set(group,(counts.get(group)??0)+1),(heaviest2.get(group)?.weight??-1)<node.weight&&heaviest2.set(group,node))});
let sorted=[...counts].sort(([a,m],[b,n])=>n-m||(a<b?-1:1)),name=group=>by==="folder"?String(group)||"no folder":group===
-1?"no group":heaviest2.get(group)?.label??"",colour=colouring(by,palette,slots),most=LISTED[by??"folder"],shown=sorted.
length>most?most-1:most,entries=sorted.slice(0,shown).map(([group,count2])=>({group,name:name(group),count:count2,colour:colour(
group)})),rest=sorted.slice(shown),count=rest.reduce((sum,[,one])=>sum+one,0);return rest.length&&entries.push({group:OTHERS,
name:`${rest.length} others`,count,colour:palette.other}),entries}var OTHERS=Symbol("others");function entryOf(entries){
let known=new Map(entries.map(entry=>[entry.group,entry]));return group=>known.get(group)??known.get(OTHERS)}var STEPS2=[1,3,5,7],MOST=2e3;function withSlots(known,folders){let present=[...new Set(folders)].sort(),valid=Object.entries(
known).filter(([,slot])=>slot<COLOURS),slots=new Map(valid.slice(0,MOST)),taken=new Set(present.map(folder2=>slots.get(folder2)));
for(let folder2 of present){if(slots.has(folder2))continue;let own=preferences(folder2),slot=own.find(one=>!taken.has(one))??
own[0];slots.set(folder2,slot),taken.add(slot)}return Object.fromEntries(slots)}function preferences(folder2){let hash=hashOf(
folder2),step=STEPS2[(hash>>>16)%STEPS2.length];return Array.from({length:COLOURS},(_,at)=>(hash%COLOURS+at*step)%COLOURS)}
function hashOf(text){let hash=2166136261;for(let at=0;at<text.length;at+=1)hash=Math.imul(hash^text.charCodeAt(at),16777619);
return hash=Math.imul(hash^hash>>>15,739982445),(hash^hash>>>13)>>>0}var CELL3=1.3*12,AWAY=3.5*12,WIDE2=1.6;function unlinkedPlaces(extent,count){let least=Math.ceil(Math.sqrt(count*WIDE2)),
columns=extent?Math.max(Math.floor((extent.right-extent.left)/CELL3),Math.min(least,12)):least,used=Math.min(columns,count),
middle2=extent?(extent.left+extent.right)/2:0,top=extent?extent.bottom-AWAY:0;return at=>({x:middle2+CELL3*(at%columns-(used-
1)/2),y:top-CELL3*Math.floor(at/columns)})}var CLEAR=.9*12,TRIES2=150;function placeNew(graph,keys){let waiting2=new Set(keys),occupied=occupiedPlaces(graph,waiting2),
queue=keys.filter(key=>placedNeighbours(graph,key,waiting2).length);for(;waiting2.size;){queue.length||(queue=[waiting2.
values().next().value]);let next=[];for(let key of queue)waiting2.has(key)&&(placeOne(graph,key,placedNeighbours(graph,key,
waiting2),occupied),waiting2.delete(key),graph.forEachNeighbor(key,other=>{waiting2.has(other)&&next.push(other)}));queue=
next}joinCommunities(graph)}var placedNeighbours=(graph,key,waiting2)=>[...graph.inNeighbors(key),...graph.outNeighbors(
key)].filter(other=>!waiting2.has(other));function placeOne(graph,key,near,occupied){if(near.length){let{x,y,community}=graph.
getNodeAttributes(near[0]);graph.mergeNodeAttributes(key,{...occupied.free({x,y}),community})}else{let place=occupied.free(
graph.degree(key)?beside(graph):nextUnlinked(graph,occupied));graph.mergeNodeAttributes(key,{...place,community:-1})}occupied.
add(graph.getNodeAttributes(key))}function beside(graph){let{right,bottom,top}=extentOf(graph)??{right:0,bottom:0,top:0};
return{x:right+36,y:(bottom+top)/2}}function nextUnlinked(graph,occupied){let extent=extentOf(graph),there=[];if(graph.forEachNode(
(key,{x,y})=>{graph.degree(key)===0&&occupied.has({x,y})&&!(extent&&y>extent.bottom)&&there.push({x,y})}),!there.length)
return unlinkedPlaces(extent,1)(0);let bottom=there.reduce((least,{y})=>Math.min(least,y),1/0),left=there.reduce((least,{
x})=>Math.min(least,x),1/0),right=there.reduce((most,{x})=>Math.max(most,x),extent?.right??-1/0),last=there.filter(({y})=>y<
bottom+CELL3/2).reduce((most,{x})=>Math.max(most,x),-1/0);return last+CELL3<=right?{x:last+CELL3,y:bottom}:{x:left,y:bottom-
CELL3}}function extentOf(graph){let extent={left:1/0,right:-1/0,bottom:1/0,top:-1/0};return graph.forEachNode((key,{x,y})=>{
x===void 0||graph.degree(key)===0||(extent.left=Math.min(extent.left,x-12),extent.right=Math.max(extent.right,x+12),extent.
bottom=Math.min(extent.bottom,y-12),extent.top=Math.max(extent.top,y+12))}),extent.left<1/0?extent:null}function joinCommunities(graph){
graph.forEachNode((key,node)=>{if((node.community??-1)!==-1||graph.degree(key)===0)return;let other=graph.findNeighbor(key,
(_,{community=-1})=>community!==-1);other&&(node.community=graph.getNodeAttribute(other,"community"))})}function occupiedPlaces(graph,without){
let cells=new Map,cellAt=(column,row)=>cells.get(`${column} ${row}`)??[],cellOf=({x,y}={x:0,y:0})=>[Math.floor(x/12),Math.
floor(y/12)],add=({x,y})=>{let[column,row]=cellOf({x,y});cells.set(`${column} ${row}`,[...cellAt(column,row),{x,y}])};graph.
forEachNode((key,node)=>{node.x===void 0||without.has(key)||add(node)});function clearance({x,y}){let[column,row]=cellOf(
{x,y}),least=12;for(let at=0;at<9;at+=1)for(let other of cellAt(column-1+at%3,row-1+Math.floor(at/3)))least=Math.min(least,
Math.hypot(other.x-x,other.y-y));return least}function free({x,y}){let best={x,y,clear:clearance({x,y})};for(let at=0;at<
TRIES2&&best.clear<CLEAR;at+=1){let away=12*(1+.45*Math.sqrt(at)),spot={x:x+away*Math.cos(at*TURN),y:y+away*Math.sin(at*
TURN)},clear=clearance(spot);clear>best.clear&&(best={...spot,clear})}return{x:best.x,y:best.y}}return{add,free,has:point=>clearance(
point)===0}}var PART=100,fetched=new Map;async function proposedNotes(sets,isCurrent){let notes=[];for(let{client,notes:all}of sets){
let keyOf2=({name})=>`${client}
${name}`;for(let one of all.filter(({outcome})=>outcome==="created")){if(isCurrent()&&!fetched.has(keyOf2(one))){fetched.
set(keyOf2(one),[]);let part=await api.proposedChanges(client,void 0,one.first,PART);for(let note of part.notes)fetched.
set(keyOf2(note),targetsIn([note]).map(({target})=>target))}notes.push({name:one.name,targets:fetched.get(keyOf2(one))??
[]})}}return notes}function withProposed(answer,proposed2){let there=new Set(answer.names),added=proposed2.filter(({name})=>!there.
has(name));if(!added.length)return answer;let before=answer.names.length,names=[...answer.names,...added.map(({name})=>name)],
missing=[...answer.missing],links=answer.links.map(at=>at<before?at:at+added.length),[noteAt,missingAt]=[finder(names),finder(
missing)],placeOf=target=>noteAt.get(target)??names.length+(missingAt.get(target)??missingAt.add(target,missing.push(target)-
1));added.forEach(({targets},at)=>{for(let target of targets)links.push(before+at,placeOf(target))});let weights=[...answer.
weights,...added.map(()=>1)];return{...answer,names,weights,missing,links,shared:before?answer.shared:topOf(names)}}function topOf(names){
let[top]=names[0].split("/");return names.every(name=>name.startsWith(`${top}/`))?top:""}function finder(names){let byLast=new Map,
lastOf=name=>folded(name).slice(folded(name).lastIndexOf("/")+1),add=(name,at)=>(byLast.set(lastOf(name),[...byLast.get(
lastOf(name))??[],[name,at]]),at);return names.forEach(add),{add,get:target=>byLast.get(lastOf(target))?.find(([name])=>leadsTo(
target,name))?.[1]}}var TOTAL_MS=1e4,MOVE_MS=1100,LEAD_MS=700,MOST_FRAMES=80;function scriptOf({steps,nodes,edits}){let chosen=steps.filter(
({edit})=>edit!==null).length,lives=livesOf(nodes),frames=[],waiting2=[],count=0;for(let[at,step]of steps.entries()){waiting2.
push(step),step.edit!==null&&(count+=1);let isFull=step.edit!==null&&shareOf(count+1,chosen)>shareOf(count,chosen),isBeforeOthers=count===
chosen&&steps[at+1]?.edit===null;!isFull&&!isBeforeOthers&&at<steps.length-1||(frames.push(frameOf(waiting2,lives,frames.
length+1)),waiting2=[])}return{edits:chosen,left:edits-chosen,frames,...lives.all()}}var shareOf=(edit,edits)=>Math.floor(
(edit-1)*Math.min(edits,MOST_FRAMES)/edits);function frameOf(steps,lives,at){let own=steps.filter(({edit})=>edit!==null),
step=(own.length?own:steps).toSorted((one,other)=>rankOf(one)-rankOf(other))[0],{edits:all}=step,more=(own.length?own:steps).
reduce((sum,{edits})=>sum+edits,0)-all;return{step,more,...lives.take(steps,at)}}var rankOf=({gone,renamed,new:added,changed:changed2})=>[
gone,renamed,added,changed2].findIndex(list=>list.length)>>>0;function livesOf(named){let nodes=[],links=[],at=new Map,linkAt=new Map,
touched=new Set;function nodeOf(number){let node=at.get(number)??nodes.length;if(node===nodes.length){let{name,missing}=named[number];
nodes.push({name,missing,names:[[0,name]],first:!0,turns:[]}),at.set(number,node)}return node}function linkOf(source,target){
let key=`${nodeOf(source)} ${nodeOf(target)}`,link=linkAt.get(key)??links.length;return link===links.length&&(links.push(
{source:nodeOf(source),target:nodeOf(target),first:!0,turns:[]}),linkAt.set(key,link)),link}function turn(life,isThere,frame){
touched.has(life)||(life.first=!isThere),touched.add(life),isThereAt(life,frame)!==isThere&&(life.turns.at(-1)===frame?life.
turns.pop():life.turns.push(frame))}function take(steps,frame){let marked=new Set,moved=new Set,turnAll=(pairs,isThere)=>{
for(let[source,target]of pairsOf(pairs)){let link=linkOf(source,target);turn(links[link],isThere,frame),moved.add(link)}};
for(let{new:added,gone,changed:changed2,renamed,links:came,cut}of steps){turnAll(cut,!1);for(let[from,to]of pairsOf(renamed)){
let node=nodeOf(from);at.delete(from),at.set(to,node),touched.add(nodes[node]),nodes[node].name=named[to].name,nodes[node].
names.push([frame,named[to].name]),marked.add(node)}for(let number of[...gone,...added])turn(nodes[nodeOf(number)],added.
includes(number),frame),marked.add(nodeOf(number));for(let number of changed2)marked.add(nodeOf(number));turnAll(came,!0)}
return{nodes:[...marked],links:[...moved].filter(link=>links[link].turns.at(-1)===frame)}}return{take,all:()=>({nodes,links})}}
var pairsOf=list=>Array.from({length:list.length/2},(_,at)=>[list[2*at],list[2*at+1]]),isThereAt=({first,turns},frame)=>first!==
(turns.filter(turn=>turn<=frame).length%2===1),nameAt=({names},frame)=>names.findLast(([from])=>from<=frame)?.[1]??names[0][1],
startOf=(frame,frames)=>LEAD_MS+(frame-1)*(TOTAL_MS-LEAD_MS-MOVE_MS-200)/Math.max(1,frames-1);function frameAt(time,frames){
let frame=0;for(;frame<frames&&startOf(frame+1,frames)<=time;)frame+=1;return frame}function movingAt(time,frames){let moving=[];
for(let frame=frameAt(time,frames);frame>0;frame-=1){let part=(time-startOf(frame,frames))/MOVE_MS;if(part>=1)break;moving.
unshift([frame,part])}return moving}function captionOf(script,frame,now2){let{frames,edits}=script;if(!frames.length)return"Nothing has changed.";if(frame===0)return`Before ${numberOf(edits,"edit")}, ${sinceText(frames[0].step.time,now2)}`;let{
step,more}=frames[frame-1],when=sinceText(step.time,now2);if(step.edit===null)return step.edits?`${when}: ${numberOf(step.
edits,"later edit")}`:"Now";let who=nameOf(step),by=step.outside?who[0].toLowerCase()+who.slice(1):who,text=`${when} ${by}: ${step.words}${more?`, and ${numberOf(more,"more edit")}`:""}`;return frame===frames.length&&edits>1?`The last of ${numberOf(
edits,"edit")}: ${text}`:text}function unionOf(present,script,{size,shared}){let graph=present.copy(),last=script.frames.length,missing=new Map(present.
filterNodes(isMissing).map(key=>[folded2(nameOf2(key)),key])),used=new Set,added=[],keys=script.nodes.map(life=>{let own=life.
missing?missing.get(folded2(life.name))??missingKey(life.name):noteKey(life.name),isPresent=present.hasNode(own)&&!used.
has(own)&&(life.missing||isThereAt(life,last)),key=own;for(;!isPresent&&graph.hasNode(key);)key+=" ";if(!isPresent){let folder2=life.
missing?null:folderOf(shared)(life.name);graph.addNode(key,{label:labelOf(life.name),weight:1,size,folder:folder2});let other=life.
missing?noteKey(life.name):missing.get(folded2(life.name))??"",{x,y,community}=present.hasNode(other)?present.getNodeAttributes(
other):NOWHERE;x===void 0?added.push(key):graph.mergeNodeAttributes(key,{x,y,community}),isThereAt(life,last)&&life.turns.
push(last)}return used.add(key),key}),edges=script.links.map(life=>{let[source,target]=[keys[life.source],keys[life.target]];
return source===target?null:(isThereAt(life,last)!==present.hasEdge(source,target)&&life.turns.push(last),graph.mergeDirectedEdge(
source,target)[0])});return{graph,keys,edges,added}}var folded2=name=>name.normalize("NFC").toLowerCase(),NOWHERE={x:void 0,
y:void 0,community:void 0},labelOf=name=>brief(parted(name).last);function stateAt({graph,keys,edges},script,frame){let hiddenLinks=new Set(
edges.filter((edge,at)=>edge!==null&&!isThereAt(script.links[at],frame))),hidden=new Set(keys.filter((_,at)=>!isThereAt(
script.nodes[at],frame)));keys.forEach((key,at)=>{let isLinked=edge=>!hiddenLinks.has(edge)&&!hidden.has(graph.source(edge));
script.nodes[at].missing&&!graph.inEdges(key).some(isLinked)&&hidden.add(key)});let names=new Map(keys.map((key,at)=>[key,
nameAt(script.nodes[at],frame)]));return{hidden,hiddenLinks,names}}var WIDE3=2.5,DASH=[3,5],REACH=20,MARK=.65,easeOut=part=>1-(1-part)**3,springing=part=>1+2.7*(part-1)**3+1.7*(part-1)**2,
pulse=part=>Math.sin(Math.PI*part);function sceneOf(picture2,script,union){let{renderer}=picture2,{graph,keys,edges}=union,
count=script.frames.length,moving=[],marked=[],state=stateAt(union,script,count),coming=new Set,shown="",hides=key=>state.
hidden.has(key)||coming.has(key),hidesLink=edge=>state.hiddenLinks.has(edge)||coming.has(edge);function set(frame){let next=[
frame,...moving.map(([at])=>at)].join();next!==shown?change(frame):picture2.drawScene(),shown=next}function change(frame){
let every=[...keys,...edges].filter(one=>one!==null),isHidden=()=>every.map((one,at)=>at<keys.length?hides(one):hidesLink(
one)),before=isHidden(),names=state.names;state=stateAt(union,script,frame),coming=comingNow();let renamed=new Set(keys.
filter(key=>names.get(key)!==state.names.get(key)));for(let key of renamed)graph.getNodeAttributes(key).label=labelOf(state.
names.get(key)??"");let after=isHidden(),nodes=keys.filter((key,at)=>before[at]!==after[at]||renamed.has(key)),links=every.
filter((_,at)=>at>=keys.length&&before[at]!==after[at]);picture2.drawScene({nodes,edges:[...new Set([...links,...nodes.flatMap(
key=>graph.edges(key))])]})}function comingNow(){let isComing=at=>life=>isThereAt(life,at)&&!isThereAt(life,at-1),every=moving.
flatMap(([at])=>{let{nodes,links}=script.frames[at-1],is=isComing(at);return[...nodes.filter(node=>is(script.nodes[node])).
map(node=>keys[node]),...links.filter(link=>is(script.links[link])).map(link=>edges[link]??"")]});return new Set(every)}
function draw2(context){for(let at of marked)drawMarks(context,at);for(let[at,part]of moving)for(let link of script.frames[at-
1].links)drawLink(context,at,link,part);for(let[at,part]of moving)for(let node of script.frames[at-1].nodes)drawNode(context,
at,node,part);context.globalAlpha=1}let colourOf=at=>{let{client,outside}=script.frames[at-1].step;return`hsl(${hueOf(client||
outside)} 60% 52%)`};function placeOf(key){let data=renderer.getNodeDisplayData(key);return!data||data.filtered?null:{...renderer.
graphToViewport(graph.getNodeAttributes(key)),size:renderer.scaleSize(data.size),colour:data.color}}function drawLink(context,at,link,part){
let edge=edges[link],[from,to]=edge===null?[]:graph.extremities(edge).map(placeOf);if(!from||!to)return;let isComing=isThereAt(
script.links[link],at),reach=isComing?easeOut(Math.min(1,part*1.5)):1;context.globalAlpha=isComing?Math.min(1,2.6*(1-part)):
.8*(1-part),context.strokeStyle=colourOf(at),context.lineWidth=WIDE3,context.setLineDash(isComing?[]:DASH),context.beginPath(),
context.moveTo(from.x,from.y),context.lineTo(from.x+reach*(to.x-from.x),from.y+reach*(to.y-from.y)),context.stroke(),context.
setLineDash([])}function drawNode(context,at,node,part){let place=placeOf(keys[node]);if(!place)return;let life=script.nodes[node],
[was,is]=[isThereAt(life,at-1),isThereAt(life,at)],scale=was&&is?1+.5*pulse(part):is?springing(Math.min(1,part*1.4)):1-easeOut(
part);drawDisc(context,place,scale*place.size,is?1:1-part),context.globalAlpha=1-part,context.strokeStyle=colourOf(at),context.
lineWidth=3,drawRing(context,place,place.size+3+(is?REACH*easeOut(part):REACH*(1-easeOut(part))))}function drawDisc(context,{
x,y,colour},radius,opacity){context.globalAlpha=opacity,context.fillStyle=colour,context.beginPath(),context.arc(x,y,Math.
max(0,radius),0,2*Math.PI),context.fill()}function drawRing(context,{x,y},radius){context.beginPath(),context.arc(x,y,radius,
0,2*Math.PI),context.stroke()}function drawMarks(context,at){let{nodes,links}=script.frames[at-1];context.globalAlpha=MARK,
context.strokeStyle=colourOf(at),context.lineWidth=1.5;for(let link of links){let edge=edges[link];if(edge===null||state.
hiddenLinks.has(edge))continue;let[from,to]=graph.extremities(edge).map(key=>state.hidden.has(key)?null:placeOf(key));!from||
!to||(context.beginPath(),context.moveTo(from.x,from.y),context.lineTo(to.x,to.y),context.stroke())}for(let node of nodes){
let place=state.hidden.has(keys[node])?null:placeOf(keys[node]);place&&drawRing(context,place,place.size+3.5)}}return{draw:draw2,
hides,hidesLink,named:()=>(moving.length?moving.map(([at])=>at):marked.slice(-1)).flatMap(at=>script.frames[at-1].nodes.
map(node=>keys[node])),at(time){[moving,marked]=[movingAt(time,count),[]],set(frameAt(time,count))},rest(frame,isAll=!1){
let all=Array.from({length:frame},(_,at)=>at+1);[moving,marked]=[[],isAll?all:all.slice(-1)],set(frame)}}}var BESIDE=1,SMALL=.7,DAY_MS=864e5,describe=more=>about.value={...about.peek(),...more};function updateStyle(graph){themeChanges.
value;let palette=paletteFor(graph.size),[by,within,hidden,hollow,near]=[colourBy.value??"folder",folder.value,hiddenGroups.
value,showMissing.value,nodesAround(graph)],slots=folderSlots.value,entries=L(()=>legend(graph,by,palette,slots)),colourOf=colouring(
by,palette,slots),entry=entryOf(entries),far=key=>near!==null&&!near.has(key),[filter,sizeOf]=[filterOf(),sizing(graph)],
look=(key,node)=>{let size=sizeOf(key,node);if(isMissing(key)){let alone=!near&&within!==""||graph.inNeighbors(key).every(
source=>filter(source)==="out");return{colour:palette.missing,hidden:!hollow||far(key)||alone,size}}let[own,passed]=[groupOf(
key,node,by),filter(key)],outside=within!==""&&!key.startsWith(`${within}/`)||passed==="out";return{colour:passed==="faint"||node.proposed?palette.faint:colourOf(own),hidden:hidden.has(entry(own)?.group??OTHERS)||outside||far(key),size}},missing=graph.
reduceNodes((sum,key)=>sum+Number(isMissing(key)),0),proposed2=graph.reduceNodes((sum,_,node)=>sum+Number(node.proposed??
!1),0);L(()=>{style.value={palette,look},describe({notes:graph.order-missing-proposed2,links:graph.size,missing,proposed:proposed2,
entries})})}function filterOf(){let[known,label,by,age,last,without]=[facts.value,tag.value,writer.value,days.value,until.
value,leaveOut.value],since=age?Date.now()-age*DAY_MS:0,tagged=own=>own===label||own.startsWith(`${label}/`);return key=>{
let fact=known?.get(nameOf2(key));return fact?label&&!fact.tags.some(tagged)||by&&fact.writer!==by||last!==null&&fact.created>
last?"out":fact.changed>=since?"in":without?"out":"faint":"in"}}function sizing(graph){let scale=(tab.value!=="graph"||inOneColumn()?
SMALL:1)*(tab.value==="graph"?sizeScale.value:1);if(sizeBy.value==="weight")return(_,{size})=>scale*size;let sized=sizes(
graph.mapNodes(key=>graph.degree(key)));return key=>scale*sized(graph.degree(key))}function nodesAround(graph){let{view,
name}=route.value,links=tab.value==="graph"?around.value:BESIDE;if(!links||view!=="note"||!name)return null;let key=keyOf(
graph,name);return key===null?null:neighbourhood(graph,key,links)}var SAY_MS=3e3,MOST_LAG_MS=200,SITTINGS=6;function ReplayMenu(){let[isOpen,setOpen]=ot(!1);return nn`<details class="controls" name="map-tools" onToggle=${({
currentTarget})=>setOpen(currentTarget.open)}>
    <summary>Replay</summary>
    ${isOpen&&nn`<div class="controls-body"><${Choices} /></div>`}
  </details>`}function Choices(){let{data,error,again}=useLoad(()=>api.review(null,SITTINGS),[]),choose=event=>{let tool=event.
currentTarget.closest("details");tool&&(tool.open=!1),route.peek().view==="map"&&(event.preventDefault(),correctAddress(
event.currentTarget.getAttribute("href")??""))},link=(which,text)=>nn`<li key=${which}><a href=${replayHash(which)} onClick=${choose}>${text}</a></li>`;
return nn`<ul class="replays">
      ${link("unseen","Since you last looked")}${link("yesterday","Since yesterday")}
      ${data?.sittings.map(one=>{let client=one.client||one.outside,text=`${nameOf(one)}, ${agoText(one.ended,now.value/
1e3)}: ${numberOf(one.edits,"edit")}`;return link(String(one.edit),nn`<i class="dot" style=${{"--hue":hueOf(client)}} aria-hidden="true"></i>${text}`)})}
    </ul>
    ${!data&&!error&&nn`<${Waiting} />`}
    <${ErrorMessage} error=${error} again=${again} />`}function Replay(){let{view,list}=route.value,which=tab.value==="graph"&&view==="map"?list:null,shown=picture.value;return which===null||!shown||!graphEtag.value||layout.value?null:nn`<${Loaded} key=${which} which=${which} picture=${shown} />`}
function Loaded({which,picture:shown}){let{data,error,again}=useLoad(()=>api.replay(which),[which]),[script,setScript]=ot(
null);return ut(()=>{data&&setScript(scriptOf(data))},[data]),script?nn`<${Player} script=${script} picture=${shown} />`:
nn`<section class="replay" aria-label="Replay">
    ${error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} what="what has changed" />`}
    <button type="button" onClick=${endReplay}>Close</button>
  </section>`}function Player({script,picture:shown}){let count=script.frames.length,slider=useElement(HTMLInputElement),
scene=ft(null),time=ft(0),[frame,setFrame]=ot(still()?count:0),[isPlaying,setPlaying]=ot(!still()&&count>0),said=useSaid(
captionOf(script,frame,now.peek()/1e3),isPlaying);ut(()=>{let leave=enter(shown,script,scene);return isTyping()||slider.
current.focus({preventScroll:!0}),still()?scene.current?.rest(count,!0):scene.current?.at(0),leave},[]),ut(()=>{if(!isPlaying)
return;let last=null,request2=requestAnimationFrame(function play(moment){time.current=Math.min(TOTAL_MS,time.current+Math.
min(MOST_LAG_MS,moment-(last??moment))),last=moment;let isOver=time.current>=TOTAL_MS;isOver?scene.current?.rest(count,!0):
scene.current?.at(time.current),setFrame(frameAt(time.current,count)),isOver?setPlaying(!1):request2=requestAnimationFrame(
play)});return()=>cancelAnimationFrame(request2)},[isPlaying]);let toggle=()=>{still()||!count||(!isPlaying&&time.current>=
TOTAL_MS&&(time.current=0),setPlaying(!isPlaying))};useSpace(toggle);let onInput=()=>{let next=Number(slider.current.value);
setPlaying(!1),time.current=next===count?TOTAL_MS:next?startOf(next,count):0,setFrame(next),scene.current?.rest(next,still()||
next===count)},caption=captionOf(script,frame,now.value/1e3);return nn`<section class="replay" aria-label="Replay">
    ${!still()&&nn`<button type="button" class="primary" aria-keyshortcuts="Space" title="Space" disabled=${!count}
        onClick=${toggle}>${isPlaying?"Pause":"Play"}</button>`}
    <div>
      <p class="caption" aria-hidden="true">${dotOf(script,frame)}${caption}</p>
      <input type="range" ref=${slider} min="0" max=${count} value=${frame} disabled=${!count} aria-label="Edit"
        aria-valuetext=${caption} onInput=${onInput} />
      ${remarkOf(script)}
    </div>
    <button type="button" aria-keyshortcuts="Escape" title="Esc" onClick=${endReplay}>Close</button>
    <p class="unseen" role="status">${said}</p>
  </section>`}function dotOf({frames},frame){let step=frames[frame-1]?.step,client=step&&(step.client||step.outside);return client&&
nn`<i class="dot" style=${{"--hue":hueOf(client)}}></i>`}function remarkOf({edits,left,frames}){let shared=frames.some(({
more})=>more>0)&&`${numberOf(edits,"edit")} in ${numberOf(frames.length,"step")}`,text=[left>0&&`only the last ${formatNumber(
edits)} of ${numberOf(edits+left,"edit")}`,shared].filter(Boolean).join("; ");return text&&nn`<p class="quiet">${text[0].
toUpperCase()+text.slice(1)}.</p>`}function useSaid(caption,isPlaying){let[said,say]=ot(""),latest=ft(caption);return latest.
current=caption,ut(()=>{if(say(latest.current),!isPlaying)return;let timer=setInterval(()=>say(latest.current),SAY_MS);return()=>clearInterval(
timer)},[isPlaying]),said}function useSpace(act){let latest=ft(act);latest.current=act,ut(()=>{let press=event=>{let{target}=event,
isOwn=target instanceof Element&&target.closest(".replay input"),isTaken=belongsToField(event)||target instanceof Element&&
target.closest("button, a, summary");event.key!==" "||event.defaultPrevented||isTaken&&!isOwn||(event.preventDefault(),latest.
current())};return addEventListener("keydown",press),()=>removeEventListener("keydown",press)},[])}function enter(shown,script,scene){
let present=shown.renderer.getGraph(),least=present.reduceNodes((size,_,node)=>Math.min(size,node.size),4),{notes,links,
missing,shared}=about.peek(),union=unionOf(present,script,{size:least,shared});placeNew(union.graph,union.added);let folders=union.
graph.mapNodes((_,{folder:folder2})=>folder2).filter(folder2=>folder2!==null);folderSlots.value=withSlots(folderSlots.peek(),
folders);let current=sceneOf(shown,script,union);return scene.current=current,replaying.value=!0,L(()=>updateStyle(union.
graph)),describe({notes,links,missing}),shown.play(current),shown.replace(union.graph),shown.go({x:.5,y:.5,ratio:1,angle:0}),
()=>{scene.current=null,present.forEachNode((key,node)=>{let{x,y}=union.graph.getNodeAttributes(key);Object.assign(node,
{x,y})}),shown.play(null),L(()=>updateStyle(present)),shown.replace(present),replaying.value=!1}}var MOST_GROUPS=60;function placeNodes(graph,shown){let unplaced=graph.filterNodes((_,{x})=>x===void 0),anew=shown?unplaced.
length>0&&unplaced.length===graph.order:unplaced.length>graph.order/2;return anew?placeAll(graph):placeNew(graph,unplaced),
anew}function placeAll(graph){let circles=packed(groups(graph).map(keys=>({keys,radius:12*(Math.sqrt(keys.length)+1.5)})));
for(let{keys,x,y}of circles)keys.forEach((key,at)=>{let away=12*Math.sqrt(at+.3);graph.mergeNodeAttributes(key,{x:x+away*
Math.cos(at*TURN),y:y+away*Math.sin(at*TURN)})});let alone=graph.filterNodes(key=>graph.degree(key)===0),place=unlinkedPlaces(
extentOf(graph),alone.length);alone.forEach((key,at)=>graph.mergeNodeAttributes(key,place(at)))}function groups(graph){let byFolder=new Map;
graph.forEachNode((key,{folder:folder2})=>{if(graph.degree(key)===0)return;let name=folder2??firstFolder(graph,key),group=byFolder.
get(name);group?group.push(key):byFolder.set(name,[key])});let sorted=[...byFolder.values()].sort((a,b)=>b.length-a.length),
shown=sorted.slice(0,MOST_GROUPS);sorted.length>MOST_GROUPS&&shown.push(sorted.slice(MOST_GROUPS).flat());let weight=key=>graph.
getNodeAttribute(key,"weight");return shown.map(keys=>keys.sort((a,b)=>weight(b)-weight(a)))}var firstFolder=(graph,key)=>graph.
getNodeAttribute(graph.inNeighbors(key)[0]??key,"folder")??"";function packed(circles){let placed=[];for(let circle of circles)
for(let step=0;;step+=1){let away=step*12*.5,spot={...circle,x:away*Math.cos(step*TURN),y:away*Math.sin(step*TURN)};if(placed.
every(other=>Math.hypot(spot.x-other.x,spot.y-other.y)>=spot.radius+other.radius)){placed.push(spot);break}}return placed}var FRAMES=60,FRAME_MS=200,SHORT_MS=7*864e5,day=new Intl.DateTimeFormat(void 0,{dateStyle:"medium"}),minute=new Intl.DateTimeFormat(
void 0,{dateStyle:"medium",timeStyle:"short"});function Timeline(){let[times,id]=[timesOf(facts.value),Et()],[at,setAt]=ot(
null),[playing,setPlaying]=ot(!1),shown=Math.min(at??times.length,times.length),show2=count=>{setAt(count>=times.length?
null:count),until.value=count>=times.length?null:times[count-1]??0};ut(()=>{if(!playing)return;let next=Math.min(times.length,
shown+Math.ceil(times.length/FRAMES)),timer=setTimeout(()=>(show2(next),setPlaying(next<times.length)),FRAME_MS);return()=>clearTimeout(
timer)},[playing,shown]);let play=()=>{!playing&&shown===times.length&&show2(1),setPlaying(!playing)},onToggle=({currentTarget})=>{
currentTarget.open?loadFacts().catch(showError):(setPlaying(!1),show2(times.length))},there=times.findLastIndex(time=>time<=
(times[shown-1]??-1/0))+1,format=times[times.length-1]-times[0]<SHORT_MS?minute:day,when=shown?format.format(times[shown-
1]):"before the first note";return nn`<details class="controls" name="map-tools" onToggle=${onToggle}>
    <summary>Timeline</summary>
    <div class="controls-body">
      ${!facts.value&&nn`<p class="quiet" role="status">Loading…</p>`}
      <label class="slider" for=${id}>Notes until then</label>
      <input id=${id} type="range" min="0" max=${times.length} value=${shown} disabled=${!times.length}
        aria-valuetext=${`${when}: ${numberOf(there,"note")}`}
        onInput=${({target})=>show2(Number(target.value))} />
      <p class="quiet">${when} · ${numberOf(there,"note")}</p>
      ${!still()&&nn`<button type="button" class="plain" onClick=${play} disabled=${!times.length}>
        ${playing?"Pause":"Play"}</button>`}
      <p class="quiet">By the date in the properties or the name of a note, else by the last change of its file.</p>
    </div>
  </details>`}var timesOf=known=>[...known?.values()??[]].map(({created})=>created).sort((a,b)=>a-b);var MARGINS={x:46,y:26},isPale=(shown,name)=>graphOf(shown).getNodeAttributes(keyOf(graphOf(shown),name)).proposed,graphOf=({
renderer})=>renderer.getGraph(),showAll=()=>zoom(0);function showWanted(){let[shown,name]=[picture.peek(),noteToShow.peek()];
if(!shown||name===null||graphEtag.peek()===null)return;layout.peek()||(noteToShow.value=null);let key=keyOf(graphOf(shown),
name);key&&shown.fit([key])}var isWhole=()=>tab.value==="graph"||graphEtag.value!==null,middle=()=>!isWhole()&&route.value.
view==="note"?route.value.name:null,clients=new Map;A(()=>{let{names,by}=changed.value;for(let name of names??[])by?clients.
set(name,by):clients.delete(name)});async function refreshGraph(names=[]){if(replaying.peek())return;let note=L(middle);
note!==null?await refreshAround(note,names):L(isWhole)&&await refreshWhole(names);let shown=picture.peek();if(!shown)return;
let keys=names.map(name=>keyOf(graphOf(shown),name)).filter(key=>key!==null);shown.recent.mark(keys,clientOf);for(let name of names)
clients.delete(name)}var whole=null,pale=[];async function refreshWhole(recent,notes=pale){let etag=graphEtag.peek();etag||
describe({arranging:!0});let response=await request("graph",{headers:etag?{"If-None-Match":etag}:{}});if(response.status===
304&&notes===pale)return;let answer=response.status===304?whole:await response.json();replaying.peek()||([whole,pale]=[answer,
notes],whole&&showGraph(whole,recent),response.status!==304&&(graphEtag.value=response.headers.get("ETag")),showWanted())}
var following=Promise.resolve(),followPale=()=>A(()=>{let sets=proposed.value;if(graphEtag.value===null||replaying.value||
!sets.length&&!pale.length)return;let isCurrent=()=>sets===proposed.peek()&&!replaying.peek(),follow=async()=>{let notes=await proposedNotes(
sets,isCurrent);isCurrent()&&await refreshWhole([],notes)};following=following.then(()=>L(follow)).catch(showError)});async function refreshAround(name,recent){
let answer=await api.graphAround(name).catch(error=>{if(![404,409].includes(statusOf(error)??0))throw error;return{names:[],
weights:[],missing:[],links:[],shared:"",version:0}});L(middle)===name&&showAround(answer,name,recent)}var clientOf=key=>clients.
get(nameOf2(key))??null;function GraphView(){let element=useElement(HTMLDivElement);ut(()=>{stage.value=element.current;
let last=null;return A(()=>{let wanted=isWhole()?"":middle();wanted!==null&&wanted!==last&&L(()=>refreshGraph().catch(showError)),
last=wanted??last})},[]),ut(followPale,[]),useChanges(names=>refreshSoon(names??[]));let{notes,links,missing,proposed:waiting2,
folders,entries,arranging}=about.value,counts=[numberOf(notes,"note"),numberOf(links,"link"),numberOf(missing,"missing note")];waiting2&&counts.push(numberOf(waiting2,"proposed note"));let label=`${isWhole()?"The map":"The map around the note"}: ${counts.join(", ")}. The search and the lists lead to the same notes.`;return nn`<div class="map-bar">
      <${Controls} folders=${folders} missing=${missing} arranging=${arranging} arrange=${startLayout} />
      <${PathView} /><${Timeline} /><${ReplayMenu} /><${Zoom} /><${MapButton} />
    </div>
    <div class="stage" ref=${element} tabindex="0" role="application" aria-label=${label}
      aria-busy=${arranging} onKeyDown=${steer}></div>
    <${Replay} />
    <div class="map-foot">
      <${Legend} entries=${entries} missing=${missing} />
      ${!replaying.value&&nn`<p class="counts" aria-hidden="true">${numberOf(notes,"note")} · ${numberOf(links,"link")}${waiting2>
0&&` · ${formatNumber(waiting2)} proposed`}</p>`}
    </div>
    ${graphEtag.value&&notes+missing+waiting2===0&&nn`<p class="empty">There are no notes yet.</p>`}`}var refreshSoon=throttled(
names=>refreshGraph(names).catch(showError));function MapButton(){let isMap=tab.value==="graph";return nn`<button type="button" class="map-button" aria-keyshortcuts="g" aria-pressed=${isMap}
    title="Map (g)" onClick=${toggleMap}>${isMap?"Close the map":"Whole map"}</button>`}function showGraph(answer,recent){
let before=graphEtag.peek()===null?null:picture.peek(),known=before?positionsIn(graphOf(before)):savedPositions(vaultName()),
graph=buildGraph(withProposed(answer,pale),known),there=new Set(answer.names);for(let{name}of pale)there.has(name)||graph.
setNodeAttribute(keyOf(graph,name),"proposed",!0);let anew=placeNodes(graph,before!==null),folders=colourFolders(graph);
colourBy.value??=folders>1?"folder":"community",describe({folders:folderCounts(answer.names),shared:answer.shared}),keepFacts(
answer.names),noteNames.value=answer.names,show(graph,anew||!before?[]:recent),before||showAll(),anew?startLayout():layout.
peek()||endLayout()}function showAround(answer,name,recent){let graph=buildGraph(answer);placeAround(graph,keyOf(graph,name)),
colourFolders(graph),show(graph,recent);let shown=picture.peek();shown&&fitNear(shown),describe({arranging:!1})}function show(graph,recent){
let shown=picture.peek();updateStyle(graph),shown?replaceGraph(shown,graph,recent):showFirstGraph(graph)}function colourFolders(graph){
let known=picture.peek()?folderSlots.peek():savedSlots(vaultName()),folders=new Set;return graph.forEachNode((_,{folder:folder2})=>folder2!==
null&&folders.add(folder2)),folderSlots.value=withSlots(known,folders),saveSlots(vaultName(),folderSlots.peek()),folders.
size}var vaultName=()=>vault.peek()?.name??"",positionsIn=graph=>key=>{let before=keyOf(graph,nameOf2(key));if(before===
null)return;let{x,y,community}=graph.getNodeAttributes(before);return{x,y,community}};function replaceGraph(shown,graph,names){
let before=graphOf(shown),added=names.filter(name=>keyOf(before,name)===null).map(name=>keyOf(graph,name));shown.recent.
grow(graph,added.filter(key=>key!==null),clientOf),shown.replace(graph),mark(shown),tab.peek()!=="graph"&&requestAnimationFrame(
()=>fitNear(shown))}function showFirstGraph(graph){let element=stage.peek();if(!element)return;let current=()=>style.peek(),
shown=createPicture(graph,element,{look:(key,node)=>current().look(key,node),colours:()=>current().palette,near:nearOf,level:labels.
peek(),onOpen:name=>isPale(shown,name)?go(reviewHash()):open(name),onDrag});picture.value=shown,requestAnimationFrame(()=>setTimeout(
()=>performance.mark("zkmem:first-picture")));let{renderer,regions,names,recent}=shown;Object.assign(window,{zkmem:{renderer,
regions,names,recent}}),whenChanged(()=>labels.value,shown.label),whenChanged(()=>replaying.value,isOn2=>!isOn2&&refreshSoon(
[])),whenChanged(()=>updateStyle(graphOf(shown)),shown.restyle),A(()=>followRoute(shown)),new ResizeObserver(()=>tab.peek()!==
"graph"&&requestAnimationFrame(()=>fitNear(shown))).observe(element),A(()=>followPath(shown))}function whenChanged(read,act){
let first=!0;A(()=>{let value=read();first||L(()=>act(value)),first=!1})}function followRoute(shown){mark(shown),(tab.value!==
"graph"||nodesAround(graphOf(shown)))&&requestAnimationFrame(()=>fitNear(shown))}function fitNear(shown){let near=nodesAround(
graphOf(shown));near?shown.fit([...near],.05,tab.peek()==="graph"?void 0:MARGINS):tab.peek()!=="graph"&&zoom(0)}function nearOf(graph){
if(tab.peek()==="graph")return null;let[keys,key]=[nodesAround(graph),keyOf(graph,route.peek().name??"")],[button,place]=[
document.querySelector(".map-button"),stage.peek()?.getBoundingClientRect()];if(!keys||key===null||!button||!place)return null;
let{left,right,top,bottom}=button.getBoundingClientRect(),covered={left:left-place.x,right:right-place.x,top:top-place.y,
bottom:bottom-place.y};return{key,keys,covered:[covered]}}function followPath(shown){let keys=path.value;shown.trace(keys),
keys.length>1&&shown.fit(keys)}function mark(shown){let{name}=route.value;shown.select(name&&keyOf(graphOf(shown),name))}
function startLayout(){layout.peek()?.stop();let shown=picture.peek();if(!shown)return;describe({arranging:!0});let running=arrange(
()=>graphOf(shown),{quiet:still(),show:shown.moved,communities:()=>recolour(shown),done:()=>{layout.value=null,placeLate(
shown,running),endLayout()}});layout.value=running}function placeLate(shown,running){let graph=graphOf(shown),late=graph.
filterNodes(key=>!running.knows(key));late.length&&(placeNew(graph,late),shown.moved())}function recolour(shown){colourBy.
peek()==="community"&&(L(()=>updateStyle(graphOf(shown))),shown.restyle())}function endLayout(){let shown=picture.peek();
shown&&(tab.peek()!=="graph"&&fitNear(shown),showWanted(),describe({arranging:!1}),savePositions(vaultName(),graphOf(shown)),
performance.mark("zkmem:arranged"))}function onDrag(key,held){let[running,shown]=[layout.peek(),picture.peek()];running?.
pin(key,held),!held&&!running&&shown&&savePositions(vaultName(),graphOf(shown))}export{GraphView,showAll,showWanted};
